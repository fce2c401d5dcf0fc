const PRODUCT_SECRET = /^(?:WC|WEBCODEX)_(?:.*_)?(?:TOKEN|SECRET|CREDENTIALS?|PASSWORD|KEY|AUTHORIZATION)(?:_.*)?$/i;

/** Whether a variable may hold one of our own credentials, which no child gets (spec 03 §9). */
export function isProductToken(name: string): boolean {
  return name.toUpperCase() === 'AUTHORIZATION' || PRODUCT_SECRET.test(name);
}

/** A client's configuration that is left as it is: one sentence why, and what to do instead. */
export class ConfigRefused extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
    this.name = 'ConfigRefused';
  }
}

/** What an `authorization` header says about its caller. */
export type BearerToken =
  | { readonly presented: false }
  | { readonly presented: true; readonly token: string }
  /** A header that holds no bearer token: a credential that cannot be checked is a bad one. */
  | { readonly presented: true; readonly token: null };

/** Reads `authorization: Bearer …`; the scheme's case does not matter (RFC 9110). */
export function bearerToken(header: string | null): BearerToken {
  if (header === null) return { presented: false };
  const match = /^bearer +([^\s]+) *$/i.exec(header);
  return { presented: true, token: match?.[1] ?? null };
}

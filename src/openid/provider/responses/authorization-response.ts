// The parameters of an authorization response, and the signed JWT that holds them (JARM) for clients that ask for it.

import type { KoaContextWithOIDC } from 'oidc-provider';

/** An error as oidc-provider throws it. */
export interface RefusalError {
  error: string;
  error_description?: string | undefined;
  error_detail?: string;
  scope?: string | undefined;
}

export type ResponseParameters = Record<string, unknown>;

/** The parameters that an error sends to the callback (RFC 6749 section 4.1.2.1, RFC 9207). */
export function errorResponse({ oidc }: KoaContextWithOIDC, refusal: Error): ResponseParameters {
  const { expose, error, error_description, scope } = refusal as Error & RefusalError & { expose?: boolean };
  const { state } = oidc.params ?? {};
  const content = expose ? { error, error_description, scope } : { error: 'server_error' };
  return { ...content, state, iss: oidc.provider.issuer };
}

/** Checks whether a `response_mode` wraps the response in a JWT. A refused request may hold any text. */
export function isSigned(mode: unknown): boolean {
  return typeof mode === 'string' && /^((query|fragment|form_post)\.)?jwt$/.test(mode);
}

/** Members that the library's types leave out. */
interface UnsignedToken {
  extra: ResponseParameters;
  issue(options: { use: 'authorization' }): Promise<string>;
}
type TokenConstructor = new (claims: object, about: { ctx: KoaContextWithOIDC }) => UnsignedToken;

/** The value of `response`, as the library makes it (JWT Secured Authorization Response Mode, section 2.1). */
export function signedResponse(ctx: KoaContextWithOIDC, content: ResponseParameters): Promise<string> {
  const token = new (ctx.oidc.provider.IdToken as unknown as TokenConstructor)({}, { ctx });
  token.extra = content;
  return token.issue({ use: 'authorization' });
}

// The longer lists of values that labels of the metrics may have. `registry.ts` writes `other` for any other value.

export const OTHER = 'other';

/** Status classes. `aborted` means that the client left before there was a response. */
export const STATUSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'aborted'] as const;

/** Classes of paths (`http-requests.ts`). */
export const ROUTES = [
  'authorization',
  'token',
  'userinfo',
  'introspection',
  'revocation',
  'pushed_authorization_request',
  'end_session',
  'discovery',
  'sign-in',
  'account',
  'account-link',
  'directory',
  'reference',
  'demo',
  'assets',
  'health',
  'metrics',
  OTHER,
] as const;

/** Kinds of requests to the directory (`http-requests.ts`). */
export const OPERATIONS = ['read', 'search', 'batch', 'export', 'download', 'metadata', OTHER] as const;

/** The error codes of the OpenID provider, from RFC 6749, OpenID Connect Core, RFC 9126, RFC 9449 and FAPI. */
export const OAUTH_ERRORS = [
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_dpop_proof',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'insufficient_scope',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unmet_authentication_requirements',
  'unsupported_grant_type',
  'unsupported_response_mode',
  'unsupported_response_type',
  'use_dpop_nonce',
  OTHER,
] as const;

export const SIGN_IN_METHODS = [
  'password',
  'password+second-factor',
  'password+passkey',
  'passkey',
  'second-factor',
] as const;
/** Reasons of failed sign-ins, in the words of the audit trail. Every other outcome has `none`. */
export const SIGN_IN_REASONS = [
  'none',
  'no-account',
  'no-password',
  'password',
  'disabled',
  'code',
  'code-used',
  'passkey',
  'passkey-used',
  'passkey-counter',
  'passkey-disabled',
] as const;

// The names of all scopes.

/**
 * Sources: section 4.1 of the interface specification; OpenID Connect Core section 11 for `offline_access`; SMART App Launch 2 for
 * `fhirUser`.
 */
export const SCOPES = [
  'openid',
  'offline_access',
  'email',
  'profile',
  'fhirUser',
  'PRACTITIONER_READ',
  'ORGANIZATION_READ',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Scopes that read the directory. */
export const DIRECTORY_SCOPES = ['PRACTITIONER_READ', 'ORGANIZATION_READ'] as const satisfies readonly Scope[];

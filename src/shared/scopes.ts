// The names of all scopes.

/** Specification 4.1, `offline_access` of OpenID Connect Core 11, and `fhirUser` of SMART App Launch 2. */
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

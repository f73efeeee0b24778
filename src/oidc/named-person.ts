// Owns whether a request is for somebody else than who signs in, where it names a person: the library looks at who is signed in
// already, not at who signs in. Does not own what is answered (`interaction.ts`).

/** The parameter that names another person than this account; undefined when none does. */
export function namingAnother(
  params: Record<string, unknown>,
  accountId: string,
): 'id_token_hint' | 'claims' | undefined {
  // OpenID Connect Core section 3.1.2.1. It was verified when the request came.
  const hinted = params['id_token_hint'] === undefined ? undefined : subjectOf(String(params['id_token_hint']));
  if (hinted !== undefined && hinted !== accountId) return 'id_token_hint';
  // Section 5.5.1.
  const { id_token: wanted } = JSON.parse(String(params['claims'] ?? '{}')) as {
    id_token?: { sub?: { value?: unknown } };
  };
  const { value } = wanted?.sub ?? {};
  return value !== undefined && value !== accountId ? 'claims' : undefined;
}

function subjectOf(token: string): unknown {
  const [, payload = ''] = token.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown }).sub;
}

// Checks that the person who signs in is the one that the request names (`id_token_hint`, or `sub` in `claims`). oidc-provider checks
// this only when the request arrives, and only against an existing session.

/** Returns the parameter that names another person than this account; undefined if none does. */
export function subjectMismatch(
  params: Record<string, unknown>,
  accountId: string,
): 'id_token_hint' | 'claims' | undefined {
  if (!matchesHint(params['id_token_hint'], accountId)) return 'id_token_hint';
  // OpenID Connect Core section 5.5.1.
  const { id_token: claims } = JSON.parse(String(params['claims'] ?? '{}')) as {
    id_token?: { sub?: { value?: unknown } | null } | null;
  };
  const { value } = claims?.sub ?? {};
  return value !== undefined && value !== accountId ? 'claims' : undefined;
}

/** Checks whether an `id_token_hint`, which was verified on arrival, names this account (section 3.1.2.1). Returns true without a hint. */
export function matchesHint(hint: unknown, accountId: string): boolean {
  if (hint === undefined) return true;
  const [, payload = ''] = String(hint).split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown }).sub === accountId;
}

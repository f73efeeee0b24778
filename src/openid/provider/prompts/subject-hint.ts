// Whether a request names another person than who is signed in or signs in: the library checks only when a request comes, and
// only who is signed in already.

/** The parameter that names another person than this account; undefined when none does. */
export function namingAnother(
  params: Record<string, unknown>,
  accountId: string,
): 'id_token_hint' | 'claims' | undefined {
  if (!isFor(params['id_token_hint'], accountId)) return 'id_token_hint';
  // OpenID Connect Core section 5.5.1.
  const { id_token: wanted } = JSON.parse(String(params['claims'] ?? '{}')) as {
    id_token?: { sub?: { value?: unknown } | null } | null;
  };
  const { value } = wanted?.sub ?? {};
  return value !== undefined && value !== accountId ? 'claims' : undefined;
}

/** Whether an id_token_hint, which was verified when it came, names this account, or is none (section 3.1.2.1). */
export function isFor(hint: unknown, accountId: string): boolean {
  if (hint === undefined) return true;
  const [, payload = ''] = String(hint).split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown }).sub === accountId;
}

// Asks one instance past the proxy, as the proxy does, for what both instances must know.

import { HOST } from '#support/deploy/proxies.ts';
import { sendTo } from '#support/send-to-port.ts';

const FORWARDED = { 'x-forwarded-proto': 'https', 'x-forwarded-host': HOST, 'x-forwarded-for': '127.9.9.9' };

/** Sends a GET, or posts a form. */
export async function directRequest(
  port: number,
  path: string,
  { form, headers = {} }: { form?: URLSearchParams; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: string }> {
  const sent = sendTo(port)(`https://${HOST}${path}`, {
    method: form ? 'POST' : 'GET',
    ...(form && { body: form }),
    headers: { ...FORWARDED, ...headers, connection: 'close' },
  });
  const late = AbortSignal.timeout(30_000);
  const answer = await Promise.race([sent, new Promise<never>((_, reject) => late.addEventListener('abort', reject))]);
  return { status: answer.status, body: await answer.text() };
}

// The outbox of a development service, as a visitor reads it.

import type { RunningService } from '#support/service.ts';

/** The newest mail to an address: as the page that shows its text, and as HTML. Throws where there is none. */
export async function mailInOutbox({ issuer }: Pick<RunningService, 'issuer'>, to: string) {
  const list = await (await fetch(`${issuer}/outbox`)).text();
  const entry = list.split('<li>').find((part) => part.includes(to)) ?? '';
  const [, address] = /href="(\/outbox\/\d+)"/.exec(entry) ?? [];
  if (address === undefined) throw new Error(`no mail to ${to} in the outbox:\n${list}`);
  const [page, html] = await Promise.all(
    ['', '/html'].map(async (form) => (await fetch(issuer + address + form)).text()),
  );
  return { page: page ?? '', html: html ?? '' };
}

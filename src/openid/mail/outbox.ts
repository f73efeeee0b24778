// Keeps mails in memory instead of sending them: in development, if no mail server is set.

import type { MailSender, Message } from './message.ts';

export interface KeptMail extends Message {
  id: number;
  /** Seconds since the epoch. */
  at: number;
}

export interface Outbox extends MailSender {
  /** The newest first. */
  list(): readonly KeptMail[];
  find(id: number): KeptMail | undefined;
}

const MOST = 100;

export function openOutbox(): Outbox {
  const kept: KeptMail[] = [];
  let last = 0;
  return {
    send: async (message) => {
      last += 1;
      kept.unshift({ ...message, id: last, at: Math.floor(Date.now() / 1000) });
      kept.length = Math.min(kept.length, MOST);
    },
    close: () => {},
    list: () => kept,
    find: (id) => kept.find((mail) => mail.id === id),
  };
}

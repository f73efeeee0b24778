// A mail that is ready to be sent, and its sender.

import type { MailKind } from '#store/outbox/mail-queue.ts';
import type { Language } from '#web/language.ts';

export interface Message {
  kind: MailKind | 'test';
  /** Topic of a notice; empty for other mails. */
  topic: string;
  /** A single address, without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The id, without angle brackets. */
  messageId: string;
  language: Language;
}

export interface MailSender {
  /**
   * Resolves once the mail server has accepted the message. Throws `RecipientRefused`, `SendingFailed`, or the abort reason of `signal`.
   */
  send(message: Message, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The server refuses mail for this address, which is invalid or unknown to it. Another attempt does not help. */
export class RecipientRefused extends Error {}

/** The server may accept the mail later. No message holds a password or the content of the mail. */
export class SendingFailed extends Error {
  /** True if the server could not be reached, or accepts nothing from this service: other mails would fail too. */
  readonly ofServer: boolean;
  /** The answer of the server, for operators that try the settings. It may quote the mail. */
  readonly answer: string | undefined;
  constructor(message: string, { ofServer, answer }: { ofServer: boolean; answer?: string | undefined }) {
    super(message);
    this.ofServer = ofServer;
    this.answer = answer;
  }
}

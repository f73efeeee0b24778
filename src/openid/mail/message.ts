// The type of a mail that is ready to be sent, and the interface and errors of a sender.

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
  /** The Message-ID, without angle brackets. */
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

/** Thrown if the server refuses the address as invalid or unknown. Another attempt would not help. */
export class RecipientRefused extends Error {}

/** Thrown if a later attempt may succeed. The message of the error holds no password and nothing of the mail. */
export class SendingFailed extends Error {
  /** True if other mails would fail too: the server could not be reached, or it accepts nothing from this service. */
  readonly ofServer: boolean;
  /** The answer of the server, for an operator that tries the settings. It may quote the mail. */
  readonly answer: string | undefined;
  constructor(message: string, { ofServer, answer }: { ofServer: boolean; answer?: string | undefined }) {
    super(message);
    this.ofServer = ofServer;
    this.answer = answer;
  }
}

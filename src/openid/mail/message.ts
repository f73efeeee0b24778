// A mail that is ready to be sent, and its sender.

import type { MailKind } from '#store/outbox/mail-queue.ts';

export interface Message {
  kind: MailKind | 'test';
  /** What a notice is about; else empty. */
  topic: string;
  /** One address, without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The id, without angle brackets. */
  messageId: string;
  /** Languages of the texts. */
  languages: readonly string[];
}

export interface MailSender {
  /** Resolves once the mail server has taken it. Throws `RecipientRefused`, `SendingFailed`, or what `signal` was aborted with. */
  send(message: Message, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Trying again does not help: the server does not take mail for this address, which is none, or is unknown to it. */
export class RecipientRefused extends Error {}

/** The mail may be taken later. No message holds a password or what the mail says. */
export class SendingFailed extends Error {
  /** Whether the server could not be reached, or takes nothing from this service: other mails would fail, too. */
  readonly ofServer: boolean;
  /** The answer of the server, for operators that try the settings. It may quote the mail. */
  readonly answer: string | undefined;
  constructor(message: string, { ofServer, answer }: { ofServer: boolean; answer?: string | undefined }) {
    super(message);
    this.ofServer = ofServer;
    this.answer = answer;
  }
}

// The queue of mails, which `src/openid/mail/mail-queue-worker.ts` sends. No row holds a secret, because the token of a link is made only
// when the mail is sent.

import { randomInt } from 'node:crypto';
import { digest } from '#shared/crypto/digest.ts';
import { emailKey } from '#shared/names.ts';
import type { OutboxEntry } from '#shared/outbox-worker.ts';
import { present } from '#shared/present.ts';
import { countRows, type Database, epochSeconds, isPostgres, ROWS_AT_ONCE } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';
import { openOutbox } from './outbox.ts';

/** Mails with a link. */
export type LinkKind = 'invitation' | 'password-reset' | 'email-verification' | 'email-change';
/** `notice` reports a critical change; `operator` goes to the people who run the service. */
export type MailKind = LinkKind | 'notice' | 'operator';

interface MailLimit {
  most: number;
  /** Seconds in which at most `most` mails of the kind are sent to an account, or to the operator. */
  within: number;
}

const HOUR = 3600;
const DAY = 86_400;

const LIMITS: Readonly<Record<MailKind, MailLimit>> = {
  invitation: { most: 10, within: DAY },
  'password-reset': { most: 5, within: HOUR },
  'email-verification': { most: 5, within: HOUR },
  'email-change': { most: 5, within: HOUR },
  // This limit applies to each topic separately.
  notice: { most: 5, within: HOUR },
  // This limit applies to each fault separately, so that a recurring fault is not reported again on the same day.
  operator: { most: 1, within: DAY },
};

/**
 * Limit of notices about a new device. There may be many sign-ins from new devices, because the browsers of ward computers forget their
 * users. Three notices a day are warning enough.
 */
const NEW_DEVICES: MailLimit = { most: 3, within: DAY };

/** Seconds by which the clocks of instances may differ. A mail that is later than this was queued while a clock was ahead. */
const CLOCKS_DIFFER = 60;

/** Seconds after which a sent mail is deleted, because no limit counts it any more. */
const COUNTED_FOR = DAY;

/** Returns the limit that applies to mails of this kind, or to notices on this topic. */
function mailLimit(kind: MailKind, topic: string): MailLimit {
  return topic === 'sign-in.new-device' ? NEW_DEVICES : LIMITS[kind];
}

export interface NewMail {
  kind: MailKind;
  /** Empty in a mail to the operator. */
  accountId: string;
  /**
   * In a notice: the audit event that it reports. In a mail to the operator: the failure that it reports (`backup.failed`), with a digest
   * of the reasons for the failure.
   */
  topic?: string | undefined;
  /** Address of the mail. If undefined, the mail goes to the address that the account has when the mail is sent. */
  to?: string | undefined;
  /** Language of the page on which the mail was requested. It is used only if the account has no language of its own. */
  language?: 'fr' | 'en' | undefined;
  /** Facts for the text of the mail; they never contain a secret. */
  details?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
}

/** A request for the mail with which a person replaces a forgotten password. It may come from a stranger. */
export interface ResetRequest {
  login: string;
  language: 'fr' | 'en';
  /**
   * Login and network address of the request, encrypted so that only the service can read them. So no table holds text that a stranger
   * typed.
   */
  sealed: string;
}

/**
 * A mail that was taken from the queue to be sent. If it belongs to no account and does not go to the operator, it is a `ResetRequest`,
 * with the sealed data in `details`.
 */
export interface QueuedMail extends Omit<NewMail, 'topic'>, OutboxEntry {
  topic: string;
  details: Readonly<Record<string, string | number | boolean>>;
}

const TABLE = 'mail_queue';
/** Column values of a request for a new password, which belongs to no account yet. */
const REQUEST = { account_id: '', kind: 'password-reset' } as const;
/** Maximum requests for a new password that wait at once, from all networks (SEC-58). They take some 3 MB. */
const MOST_REQUESTS = 10_000;

export type MailQueue = ReturnType<typeof openMailQueue>;

export function openMailQueue(database: Database) {
  const outbox = openOutbox(database, TABLE);
  const ended = { due_at: null, address: null, details: null };
  return {
    ...outbox,
    /**
     * Puts a mail into the queue. Returns false if the account has already had as many mails of this kind and topic as allowed. A mail with
     * a link replaces a waiting mail of the same purpose, because only the newest link is valid.
     */
    enqueue: (mail: NewMail): Promise<boolean> =>
      database.transaction(async (transaction) => {
        const { kind, accountId, topic = '' } = mail;
        const now = epochSeconds();
        const alike = { account_id: accountId, kind, topic };
        // A simultaneous call for the same account waits, so that neither call overlooks the mail of the other. On PostgreSQL, this lock
        // makes it wait. On SQLite, it waits because the transaction begins with a write.
        if (isPostgres(database)) await transaction('accounts').select('id').where({ id: accountId }).forUpdate();
        const [added] = (await transaction(TABLE).insert(rowOf(mail, now)).returning('id')) as {
          id: number | string;
        }[];
        const id = added?.id ?? '';
        const { most, within } = mailLimit(kind, topic);
        const recent = transaction(TABLE)
          .where(alike)
          .where('created_at', '>', now - within)
          .where('created_at', '<=', now + CLOCKS_DIFFER);
        if ((await countRows(recent)) > most) {
          await transaction(TABLE).where({ id }).delete();
          return false;
        }
        if (kind !== 'notice' && kind !== 'operator')
          await transaction(TABLE).where(alike).whereNotNull('due_at').whereNot({ id }).update(ended);
        return true;
      }),
    /**
     * Queues mails to accounts that the same transaction has created. Limits and waiting mails are not checked, because such accounts
     * cannot have earlier mails.
     */
    enqueueFirst: async (mails: readonly NewMail[]): Promise<void> => {
      const now = epochSeconds();
      await database.batchInsert(
        TABLE,
        mails.map((mail) => rowOf(mail, now)),
        ROWS_AT_ONCE,
      );
    },
    /**
     * Stores a request for a new password, in place of an earlier request for the same login. Returns false if too many requests wait. An
     * unknown login is stored just like a known one: the account is looked up only some seconds later, so that the response cannot reveal
     * whether it exists (SEC-74).
     */
    request: ({ login, language, sealed }: ResetRequest): Promise<boolean> =>
      database.transaction(async (transaction) => {
        const alike = { ...REQUEST, topic: digest(emailKey(login)) };
        await transaction(TABLE).where(alike).delete();
        if ((await countRows(transaction(TABLE).where(REQUEST))) >= MOST_REQUESTS) return false;
        const now = epochSeconds();
        const row = { language, details: JSON.stringify({ sealed }), created_at: now, attempts: 0 };
        await transaction(TABLE).insert({ ...alike, ...row, due_at: now + randomInt(2, 6) });
        return true;
      }),
    /** Takes at most `most` due mails. For `lease` seconds, no other instance gets them. */
    take: async ({ most, lease }: { most: number; lease: number }): Promise<QueuedMail[]> => {
      const due = (now: number) =>
        database(TABLE).select('id').where('due_at', '<=', now).orderBy('due_at').limit(most);
      return (await outbox.take(due, lease)).map(mailOf);
    },
    /**
     * Ends a mail that was sent or given up. Its address and details are deleted. The rest of the row is kept for a day, because the limits
     * count it. A request for a new password is deleted entirely.
     */
    end: async (id: string): Promise<void> => {
      const requests = await database(TABLE)
        .where({ ...REQUEST, id })
        .delete();
      if (requests === 0) await database(TABLE).where({ id }).update(ended);
    },
    /** Returns the ids of the accounts for which a mail of the kind waits. */
    waitingFor: (kind: MailKind): Promise<string[]> =>
      database(TABLE).where({ kind }).whereNotNull('due_at').pluck('account_id'),
    /** Deletes at most `most` mails that the limits no longer count. Returns the number of deleted mails; 0 means that none is left. */
    prune: (most = ROWS_AT_ONCE): Promise<number> => {
      const old = database(TABLE)
        .select('id')
        .whereNull('due_at')
        .where('created_at', '<=', epochSeconds() - COUNTED_FOR)
        .limit(most);
      return database(TABLE).whereIn('id', old).delete();
    },
  };
}

function rowOf({ kind, accountId, topic = '', to, language, details = {} }: NewMail, now: number) {
  const about = { address: to ?? null, language: language ?? null, details: JSON.stringify(details) };
  return { kind, account_id: accountId, topic, ...about, created_at: now, due_at: now, attempts: 0 };
}

function mailOf(row: Row<'mail_queue'>): QueuedMail {
  return {
    id: String(row.id),
    kind: row.kind as MailKind,
    topic: row.topic,
    accountId: row.account_id,
    ...present({ to: row.address, language: row.language as 'fr' | 'en' | null }),
    details: JSON.parse(row.details ?? '{}') as QueuedMail['details'],
    createdAt: Number(row.created_at),
    attempts: row.attempts,
  };
}

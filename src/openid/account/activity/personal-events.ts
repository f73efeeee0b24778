// Decides which events of the audit trail a person sees: those with a title in the messages. All others are listed here. An event that is
// in neither list fails the type check.

import type { AuditEventName } from '#shared/audit/events.ts';
import { type Messages, messagesIn } from '#web/messages.ts';

type PersonalEvent = keyof Messages['activity']['events'];

/** Events of machines and operators, and of every sign-on. Some belong to parts that an installation may lack. */
type NotForPeople =
  | `${'key' | 'clients' | 'directory' | 'service' | 'audit' | 'backup' | 'restore' | 'mail' | 'logout-token' | 'client'}.${string}`
  | 'account.imported'
  | 'authorization.refused'
  | 'offline-access.left-out'
  | 'token.issued'
  | 'token.refreshed'
  | 'token.refused'
  | 'token.revoked';

type None<Forgotten extends never> = Forgotten;

/** An error here names the event that needs a title in `src/web/messages/fr/activity.ts`, or a line above. */
export type Forgotten = None<Exclude<AuditEventName, PersonalEvent | NotForPeople>>;

/** The events to search for. Events of another release are left out, because they have no words here. */
export const PERSONAL_EVENTS = Object.keys(messagesIn('fr').activity.events) as AuditEventName[];

/** The title of an event by its name; undefined for an event of another release, or one that people do not see. */
export function titleOf(event: string, { activity }: Messages): string | undefined {
  return Object.hasOwn(activity.events, event) ? activity.events[event as PersonalEvent] : undefined;
}

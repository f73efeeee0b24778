// Makes records of events. Text from strangers is cut to fit the table, and secrets are removed.

import { AUDIT_EVENTS, type AuditActor, type AuditEvent } from '#shared/audit/events.ts';
import { redact } from '#shared/log/redaction.ts';
import { present } from '#shared/present.ts';
import { currentRequestId } from '#shared/request-context.ts';
import type { AuditRecord } from './audit-events.ts';

/** Maximum characters of the details. Addresses of clients are the longest of them. */
const LONGEST_DETAILS = 2000;

/** Makes the record of an event that happens now, in the current request. `byDefault` is the actor if the event names none. */
export function recordOf({ event, details, ...about }: AuditEvent, byDefault: AuditActor): AuditRecord {
  const { account, client, address, actor = byDefault } = about;
  const requestId = currentRequestId();
  return {
    time: new Date().toISOString(),
    event,
    outcome: AUDIT_EVENTS[event][0],
    actor: storable(actor, 160),
    ...present({
      account: account && storable(account, 36),
      client: client && storable(client, 128),
      address: address && storable(address, 64),
      requestId: requestId && storable(requestId, 64),
      details: details && Object.keys(details).length > 0 ? storableDetails(details) : undefined,
    }),
  };
}

// PostgreSQL accepts neither NUL nor half of a surrogate pair. One such text would keep all other records from being written.
function storable(text: string, longest: number): string {
  const short = text.length > longest ? text.slice(0, longest) : text;
  return short.isWellFormed() && !short.includes('\0') ? short : short.toWellFormed().replaceAll('\0', '');
}

function storableDetails(details: object): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  let left = LONGEST_DETAILS;
  // A cut is marked, so that nobody can hide the rest of an edit behind a long beginning.
  const cut = (text: unknown) => {
    const whole = String(text);
    if (whole.length > left) kept['more'] = true;
    const part = storable(whole, left);
    left -= part.length;
    return part;
  };
  for (const [name, value] of Object.entries(redact(details) as object)) {
    if (left <= 0) kept['more'] = true;
    else if (typeof value === 'string') kept[name] = cut(value);
    else if (Array.isArray(value)) kept[name] = value.map(cut).filter((part) => part !== '');
    else if (value !== undefined) kept[name] = value;
  }
  return kept;
}

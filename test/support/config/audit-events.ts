// The list of all events of the audit trail in the handbook: written by `npm run schemas`.

import { AUDIT_EVENTS } from '#shared/audit/events.ts';

export function auditEventList(): string {
  return Object.entries(AUDIT_EVENTS)
    .map(([name, [, meaning]]) => `- \`${name}\`: ${meaning}`)
    .join('\n');
}

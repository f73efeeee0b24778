// Owns which errors say that the database cannot be reached, or is held up, at the moment: the same request may well succeed
// soon. Does not own what is answered then.

/** Of the system, of PostgreSQL (appendix A of its manual: classes 08, 53 and 57) and of SQLite. */
const CODES =
  /^(E(CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)|08...|53...|57P0.|SQLITE_(BUSY|LOCKED).*)$/;
/** What node-postgres and `answer-limit.ts` say without a code. */
const MESSAGES = /^(Connection terminated|Client has encountered a connection error|the database did not answer)/;

/** Seconds after which it is worth while to ask again, as a header has them. */
export const RETRY_AFTER = '5';

/** Whether an error of a query means that the database is away, and not that the query was wrong. */
export function isAway(error: unknown): boolean {
  const { code, message = '', name } = (error ?? {}) as { code?: unknown; message?: string; name?: string };
  return CODES.test(String(code)) || MESSAGES.test(message) || name === 'KnexTimeoutError';
}

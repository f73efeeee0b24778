// Recognizes errors of a database that cannot be reached, or is busy, at the moment: the same request may well succeed soon.

/** Of the system, of PostgreSQL (appendix A of its manual: classes 08, 53 and 57) and of SQLite. */
const CODES =
  /^(E(CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)|08...|53...|57P0.|SQLITE_(BUSY|LOCKED).*)$/;
/** Messages of node-postgres and `query-timeout.ts` that have no code. */
const MESSAGES = /^(Connection terminated|Client has encountered a connection error|the database did not answer)/;

/** Seconds after which it is worth while to try again, as a header has them. */
export const RETRY_AFTER = '5';

/** Whether an error of a query means that the database is unavailable, and not that the query was wrong. */
export function isTransient(error: unknown): boolean {
  const { code, message = '', name } = (error ?? {}) as { code?: unknown; message?: string; name?: string };
  return CODES.test(String(code)) || MESSAGES.test(message) || name === 'KnexTimeoutError';
}

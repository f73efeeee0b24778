// Recognizes errors of a database that cannot be reached or written, or is busy, at the moment: the same request may well succeed
// once that is over, and nothing was stored.

/** Codes of the operating system: the network, and a disk or a process without room. */
const SYSTEM =
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|NOSPC|DQUOT|ROFS|IO|MFILE|NFILE)$/;
/** Codes of TLS: the certificate of the server does not hold. */
const TLS = /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_TLS_CERT_ALTNAME_INVALID|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;
/**
 * Codes of PostgreSQL (appendix A of its manual): connection, resources, operators and system (classes 08, 53, 57 and 58), refused sign-ins to
 * it (28), a database that is gone (3D), one that only reads (25006), locks and deadlocks.
 */
const POSTGRES = /^(08...|28...|3D000|25006|40001|40P01|53...|55P03|57014|57P0.|58...)$/;
/** Codes of SQLite: held by others, a full disk, a folder that cannot be written or read, a file that went away. */
const SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/;
/** Messages of node-postgres, `query-timeout.ts` and `deadline.ts` that have no code. Knex puts the statement before them. */
const MESSAGES =
  /(?:^| - )(Connection terminated|Client has encountered a connection error|the database did not answer)/;

/** The database only reads, the disk is full or fails; with SQLite also: the log cannot be made. */
const NOT_STORED = /^(25006|53100|58030|SQLITE_(FULL|IOERR|READONLY|CANTOPEN))/;
/** What PostgreSQL has no code for, in the words of its system. */
const NO_CODE = /Disk quota exceeded|Read-only file system/;

/** Whether an error of a statement means that the database stores nothing at the moment: not that it is busy, nor that a row is refused. */
export function isNotStored(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  return NOT_STORED.test(String(code)) || NO_CODE.test(message);
}

/** Whether a row could not be written because what it belongs to is gone: an account that was deleted a moment ago. */
export function isOrphan(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** Seconds after which it is worth while to try again, as a header has them. */
export const RETRY_AFTER = '5';

/** Whether an error of a query means that the database is unavailable, and not that the query was wrong. */
export function isTransient(error: unknown): boolean {
  const { code, message = '', name } = (error ?? {}) as { code?: unknown; message?: string; name?: string };
  const text = String(code);
  return (
    [SYSTEM, TLS, POSTGRES, SQLITE].some((codes) => codes.test(text)) ||
    MESSAGES.test(message) ||
    name === 'KnexTimeoutError' ||
    isNotStored(error)
  );
}

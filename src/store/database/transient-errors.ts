// Recognizes errors of a database that is temporarily unreachable, not writable or busy. After such an error, nothing was stored, and the
// same request may succeed later.

/** Error codes of the operating system: for the network, for a disk that is full or fails, and for a process with too many open files. */
const SYSTEM =
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|NOSPC|DQUOT|ROFS|IO|MFILE|NFILE)$/;
/** Codes of TLS for an invalid certificate of the server. */
const TLS = /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_TLS_CERT_ALTNAME_INVALID|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;
/**
 * Codes of PostgreSQL (appendix A of its manual) for a broken connection (class 08), a lack of resources (53), a statement that was
 * cancelled or a server that stops or starts (57), errors of the system (58), a refused sign-in (28), a missing database (3D), a read-only
 * database (25006), conflicts between transactions (40001), locks and deadlocks.
 */
const POSTGRES = /^(08...|28...|3D000|25006|40001|40P01|53...|55P03|57014|57P0.|58...)$/;
/** Codes of SQLite for a database that others have locked, a full disk, a folder that cannot be written or read, and a missing file. */
const SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/;
/**
 * Messages of errors without a code, from node-postgres, `query-timeout.ts` and `deadline.ts`. Knex puts the statement before the message.
 */
const MESSAGES =
  /(?:^| - )(Connection terminated|Client has encountered a connection error|the database did not answer)/;

/**
 * Codes for a database that is read-only, or has a disk that is full or fails. On SQLite, this includes a write-ahead log that cannot be
 * created.
 */
const NOT_STORED = /^(25006|53100|58030|SQLITE_(FULL|IOERR|READONLY|CANTOPEN))/;
/** PostgreSQL's code for `read_only_sql_transaction`. */
export const READ_ONLY = '25006';
/** Messages of the operating system that PostgreSQL reports without one of the codes above. */
const NO_CODE = /Disk quota exceeded|Read-only file system/;

/**
 * Checks whether an error of a statement means that the database currently stores nothing. Returns false if the database is only busy, or
 * has only refused a row.
 */
export function isNotStored(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  return NOT_STORED.test(String(code)) || NO_CODE.test(message);
}

/** Checks whether a row could not be written because the row that it belongs to is gone, such as an account that was just deleted. */
export function isOrphan(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** Seconds after which a client may repeat a request that failed because of a temporary error of the database. */
export const RETRY_SECONDS = 5;

/** Codes of the network, and codes of a server that is starting, has no connection left, or is a replica that was not promoted yet. */
const PASSES =
  /^(E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|57P0[123]|53300|25006|08...)$/;

/**
 * Checks whether an error is one that PostgreSQL causes while it starts or fails over. Such an error passes by itself, so it is enough to
 * wait.
 */
export function passesByItself(error: unknown): boolean {
  const { code, message = '', name } = (error ?? {}) as { code?: unknown; message?: string; name?: string };
  return PASSES.test(String(code)) || MESSAGES.test(message) || name === 'KnexTimeoutError';
}

/** Checks whether an error of a query means that the database is unavailable, rather than that the query was wrong. */
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

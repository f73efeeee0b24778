// Recognizes errors of a database that is temporarily unreachable, not writable or busy. The same request may succeed later, and nothing
// was stored.

/** Codes of the operating system: the network, and a disk or a process without room. */
const SYSTEM =
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|NOSPC|DQUOT|ROFS|IO|MFILE|NFILE)$/;
/** Codes of TLS: the server's certificate is invalid. */
const TLS = /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_TLS_CERT_ALTNAME_INVALID|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;
/**
 * Codes of PostgreSQL (appendix A of its manual): connection, resources, operators and system (classes 08, 53, 57 and 58), refused sign-ins
 * to it (28), a missing database (3D), a read-only one (25006), locks and deadlocks.
 */
const POSTGRES = /^(08...|28...|3D000|25006|40001|40P01|53...|55P03|57014|57P0.|58...)$/;
/** Codes of SQLite: locked by others, a full disk, a folder that cannot be written or read, a missing file. */
const SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/;
/** Messages of node-postgres, `query-timeout.ts` and `deadline.ts` that have no code. Knex puts the statement before them. */
const MESSAGES =
  /(?:^| - )(Connection terminated|Client has encountered a connection error|the database did not answer)/;

/** The database is read-only, or its disk is full or failing. With SQLite, this includes a log that cannot be created. */
const NOT_STORED = /^(25006|53100|58030|SQLITE_(FULL|IOERR|READONLY|CANTOPEN))/;
/** PostgreSQL: read_only_sql_transaction. */
export const READ_ONLY = '25006';
/** Errors without a PostgreSQL code, in the words of its system. */
const NO_CODE = /Disk quota exceeded|Read-only file system/;

/**
 * Checks whether an error of a statement means that the database currently stores nothing. A busy database or a refused row does not count.
 */
export function isNotStored(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  return NOT_STORED.test(String(code)) || NO_CODE.test(message);
}

/** Checks whether a row could not be written because its parent is gone: an account that was just deleted. */
export function isOrphan(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** Seconds after which a request that met such an error is worth another try. */
export const RETRY_SECONDS = 5;

/** Codes of the network, and of a server that starts, has no connection left, or is a replica until its promotion. */
const PASSES =
  /^(E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|57P0[123]|53300|25006|08...)$/;

/** Checks whether an error is one that a PostgreSQL causes while it starts or fails over: waiting helps, and an operator need do nothing. */
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

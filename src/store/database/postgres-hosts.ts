// Connects Knex to the first host of DATABASE_URL that answers and takes writes, as libpq does. node-postgres knows one host only. After a
// fail-over, connections to the old server are thrown away, and the next connection finds the new server.

import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import { type FairQueue, fairQueue, OWN } from '#shared/fair-queue.ts';
import { addressesOf, hostsOf, parseAddresses, type SessionAttributes } from '#shared/postgres-url.ts';
import type { Statement } from './deadline.ts';
import type { PostgresClient } from './query-timeout.ts';
import { leaveIdle, leaveShared } from './shared-connection.ts';
import { READ_ONLY } from './transient-errors.ts';

/** Milliseconds within which a host must accept the connection, unless the address has a `connect_timeout`. */
const CONNECTS_WITHIN = 5000;
/**
 * Maximum connections that one process opens at the same time. After a fail-over or a start, all instances open connections, and too many
 * at once would overload the server.
 */
const AT_ONCE = 3;
/**
 * Milliseconds without another try after the second failure in a row. Each further failure doubles this pause, up to LONGEST_REST. The
 * pause is shortened at random, so that instances do not all try at the same moment.
 */
const REST = 100;
const LONGEST_REST = 1000;
/**
 * Minimum age in milliseconds at which a connection is dropped because its server is gone or takes no writes. Younger connections are kept.
 * As long as no server takes writes, new connections are read-only as well, and are still needed for reads.
 */
const KEPT = 1000;

/**
 * Thrown if a host cannot be used, because it does not accept the connection in time, or takes no writes. Also thrown if none of several
 * hosts can be used. Then `code` is READ_ONLY if any of them takes no writes, and otherwise the code of the first failure.
 */
class NoServer extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Codes of a server that has refused the user or the database. Other hosts would do the same, so they are not tried. */
const FINAL = /^(28...|3D000)$/;

/** A connection of node-postgres. Knex' pool drops it once `__knex__disposed` is set. */
type Connection = Omit<PostgresClient, 'connection' | 'once'> & {
  connection: { on(event: 'errorMessage', listener: (error: { code?: string }) => void): unknown };
  on(event: 'error' | 'end', listener: () => void): unknown;
  __knex__disposed?: unknown;
};

/** The members of Knex' client for PostgreSQL that are used here. Its types lack them. */
interface PostgresDialect {
  connectionSettings: object;
  logger: { warn(message: string): void };
  pool?: { numFree(): number };
  acquireConnection(): Promise<Connection>;
  destroy(done?: () => void): Promise<unknown>;
  acquireRawConnection(): Promise<Connection>;
  destroyRawConnection(connection: Connection): Promise<unknown>;
}

const Dialect: new (config: Knex.Config) => PostgresDialect = createRequire(import.meta.url)(
  'knex/lib/dialects/postgres/index.js',
);

/** The client for Knex. It has one setting more: if `connection.preparedStatements` is false, statements have no names. */
export class PostgresHosts extends Dialect {
  readonly #addresses: readonly string[];
  readonly #wanted: SessionAttributes;
  readonly #within: number;
  readonly #named: boolean;
  readonly #opened = new Map<Connection, number>();
  readonly #queue: FairQueue = fairQueue({ running: AT_ONCE, waiting: 0, refusal: () => new Error('never') });
  #best = 0;
  #failures = 0;
  #rest = { until: 0, error: new Error() };

  constructor(config: Knex.Config) {
    // Knex and this service recognise PostgreSQL by this name.
    super({ ...config, client: 'pg' });
    const { connectionString = '', preparedStatements } = config.connection as Record<string, string>;
    const parameters = parseAddresses(connectionString)?.[0].searchParams;
    this.#addresses = addressesOf(connectionString);
    this.#wanted = (parameters?.get('target_session_attrs') ??
      (this.#addresses.length > 1 ? 'read-write' : 'any')) as SessionAttributes;
    this.#within = Number(parameters?.get('connect_timeout')) * 1000 || CONNECTS_WITHIN;
    this.#named = Boolean(preparedStatements ?? true);
  }

  /**
   * Called by Knex. If the pool has no free connection, first gives back the connection that simultaneous reads share, unless a read uses
   * it (`shared-connection.ts`).
   */
  override acquireConnection(): Promise<Connection> {
    if (this.pool?.numFree() === 0) leaveIdle(this);
    return super.acquireConnection();
  }

  override destroy(done?: () => void): Promise<unknown> {
    leaveShared(this);
    return super.destroy(done);
  }

  /** Called by the pool to open a connection. During the pause that follows failures, it rejects at once with the last error. */
  override acquireRawConnection(): Promise<Connection> {
    return this.#queue(OWN, async () => {
      if (performance.now() < this.#rest.until) throw this.#rest.error;
      try {
        const connection = await this.#connect();
        this.#failures = 0;
        return connection;
      } catch (error) {
        this.#failures += 1;
        const longest = this.#failures < 2 ? 0 : Math.min(LONGEST_REST, REST * 2 ** (this.#failures - 2));
        this.#rest = { until: performance.now() + longest * (0.5 + Math.random() / 2), error: error as Error };
        throw error;
      }
    });
  }

  async #connect(): Promise<Connection> {
    const failures: Failure[] = [];
    const indexes = this.#addresses.keys().toArray();
    // The last good host comes first, so that nobody waits for a host that is gone.
    for (const index of [this.#best, ...indexes.filter((one) => one !== this.#best)]) {
      const address = this.#addresses[index] ?? '';
      try {
        const connection = await this.#connectTo(address);
        if (index !== this.#best) this.logger.warn(`connected to ${named(address)} now`);
        this.#best = index;
        return connection;
      } catch (error) {
        if (this.#addresses.length === 1 || FINAL.test(String((error as Failure).code))) throw error;
        const { message, code } = error as Failure;
        failures.push({ message: `${named(address)}: ${message}`, code });
      }
    }
    const { code } = failures.find((one) => one.code === READ_ONLY) ?? failures[0] ?? {};
    throw new NoServer(
      `no server takes writes (${failures.map(({ message }) => message).join('; ')})`,
      code ?? 'ECONNRESET',
    );
  }

  async #connectTo(connectionString: string): Promise<Connection> {
    // Knex reads these settings at once, before it waits for anything. So they may be changed for another host while this connection is
    // being opened.
    this.connectionSettings = {
      ...this.connectionSettings,
      connectionString,
      connectionTimeoutMillis: this.#within,
    };
    const connection = await super.acquireRawConnection().catch((error: Error) => {
      if (error.message !== 'timeout expired') throw error;
      throw new NoServer(`it did not let the service in within ${this.#within / 1000} s`, 'ETIMEDOUT');
    });
    if (!this.#named) withoutNames(connection);
    if (await isUnfit(connection, this.#wanted)) {
      await this.destroyRawConnection(connection);
      throw new NoServer('it is a replica, or read-only', READ_ONLY);
    }
    this.#opened.set(connection, performance.now());
    connection.on('end', () => {
      this.#opened.delete(connection);
      leaveIdle(this);
    });
    // If this connection breaks off, or its server has become a replica, other connections to that server are dropped, because they would
    // wait in vain or read old data.
    connection.on('error', () => this.#dropOthers());
    connection.connection.on('errorMessage', ({ code }) => code === READ_ONLY && this.#dropOthers());
    return connection;
  }

  #dropOthers(): void {
    for (const [connection, since] of this.#opened) {
      if (performance.now() - since > KEPT) connection.__knex__disposed ??= 'the server is gone, or read-only';
    }
    leaveShared(this);
  }
}

interface Failure {
  message: string;
  code?: string | undefined;
}

function named(address: string): string {
  return hostsOf(parseAddresses(address) ?? []);
}

async function isUnfit(connection: Connection, wanted: SessionAttributes): Promise<boolean> {
  if (wanted === 'any') return false;
  const unfit = wanted === 'primary' ? 'pg_is_in_recovery()' : `current_setting('transaction_read_only')::boolean`;
  const { rows } = (await connection.query(`select ${unfit} as unfit`)) as { rows: { unfit: boolean }[] };
  return rows[0]?.unfit === true;
}

/**
 * Removes the names of statements, because PgBouncer before 1.21 does not know named statements if it assigns connections by transaction.
 */
function withoutNames(connection: Connection): void {
  const query = connection.query.bind(connection);
  connection.query = (statement: Statement, done) =>
    query(typeof statement === 'string' ? statement : { ...statement, name: undefined as never }, done);
}

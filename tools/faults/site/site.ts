// What faults are made on.

import type { Settings } from '#config/settings.ts';
import { ENGINES, type Engine } from '#support/databases.ts';
import type { LogoutReceiver } from '#support/openid/logout-receiver.ts';
import type { MailServer } from '#support/openid/mail/mail-server.ts';
import type { PostgresServer } from '#support/replicated-postgres.ts';
import type { Authority } from '#support/tls/certificates.ts';
import type { Outcome } from '#tools/site/processes.ts';
import type { ServiceProcess } from '#tools/site/service-process.ts';
import type { OwnPostgres } from './postgres.ts';
import type { Relay } from './relay.ts';
import type { Renewals } from './renewals.ts';
import type { Room } from './room.ts';

/** What the faults are made on: one service on an engine, or two instances on PostgreSQL. */
export const KINDS = [...ENGINES, 'pair'] as const;
export type Kind = (typeof KINDS)[number];

export interface Site {
  engine: Engine;
  folder: string;
  config: string;
  dataFolder: string;
  issuer: string;
  port: number;
  metricsPort: number;
  /** Environment of the service and its commands. */
  environment: Record<string, string>;
  service: ServiceProcess;
  /** All processes of the service that may run. */
  services: readonly ServiceProcess[];
  /** Only of a pair. */
  pair?: Pair;
  /** Address of the database, past the relay; of SQLite the file. */
  database(): Settings['database'];
  /** Holds the data folder. */
  disk: Room;
  postgres?: OwnPostgres;
  /** Holds PostgreSQL's data. */
  postgresDisk?: Room;
  /** Between the service and PostgreSQL. */
  network?: Relay;
  /** Between the service and the mail server. */
  mailNetwork: Relay;
  mail: MailServer;
  receiver: LogoutReceiver;
  /** Signs certificates that the service trusts. */
  authority: Authority;
  /** Runs `hygie ARGS`; it is killed after a minute. */
  hygie(args: readonly string[], env?: Record<string, string>): Promise<Outcome>;
  /** The same; throws when the command refuses, and returns its standard output. */
  succeed(args: readonly string[]): Promise<string>;
  writeClients(change?: Record<string, unknown>): void;
  /** Logins of the people who sign in; all have the password of the demonstration. */
  people: readonly string[];
  close(): Promise<void>;
}

export interface Pair {
  /** The two that always run, and a third that runs only while it has joined. */
  one: ServiceProcess;
  two: ServiceProcess;
  joining: ServiceProcess;
  /** Empties the data folder of the third. */
  forget(): void;
  /** The servers change their parts at a fail-over. */
  servers: { primary: PostgresServer; replica: PostgresServer };
  /** Between the instances and each server. */
  networks: readonly Relay[];
  /** Between the replica and its primary. */
  replication: Relay;
  /** Writes `service.yaml` with other settings of the database; takes effect at the next start. */
  writeDatabase(settings: Record<string, unknown>): void;
  renewals: Renewals;
}

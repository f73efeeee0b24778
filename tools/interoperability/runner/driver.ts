// The types of the runner: a client that is driven, and the results.

import type { ClientEntry } from './service.ts';

/** A client or proxy that a program beside this runner drives; the program prints one line for each thing it tried. */
export interface Driver {
  /** The name that people know; the first column of the table. */
  client: string;
  /** The name for `--only`, and the client_id. */
  name: string;
  toolchain: ToolchainName;
  /** What its toolchain starts: a script, a package of Go, a class of Java, a binary of Rust. */
  entry: string;
  /** Its package, of which the lock file or the project file has the version. */
  package: string;
  /** Path of its callback; `/callback` unless given. */
  callback?: string;
  /** What its entry in `clients.yaml` has beside the usual. */
  settings?: Partial<ClientEntry>;
  /** Scopes of the access token that the runner gives to a driver that signs nobody in itself. */
  scope?: string;
  /** Several rows, if the checks are too many for one cell or belong to more than one client. */
  rows?: readonly DrivenRow[];
}

/** One row with the checks that match. */
export interface DrivenRow {
  client: string;
  checks: RegExp;
  /** What they are about, in short. */
  driven: string;
}

export type ToolchainName = 'javascript' | 'python' | 'go' | 'java' | 'rust' | 'shell';

/** One thing that a client did, or was told. */
export interface Check {
  what: string;
  passed: boolean;
  why?: string;
}

/** A row of the table. `skipped` says what was missing; then there are no checks. */
export interface Row {
  group: string;
  client: string;
  version: string;
  checks: readonly Check[];
  /** What the checks are about, where they are too many to be named. */
  driven?: string;
  skipped?: string;
}

/** How the drivers of one language are installed and started. */
export interface Toolchain {
  /** Heading of its rows. */
  title: string;
  /** What is not there, as "no go"; undefined where it can be used. */
  missing(): string | undefined;
  /**
   * Fetches what is pinned and builds the driver, in the cache. Gives the reason, as "packages could not be fetched", where that
   * is for want of a registry; throws where it is a fault of a driver.
   */
  prepare(driver: Driver): Promise<string | undefined>;
  version(driver: Driver): string;
  command(driver: Driver): { command: string; args: readonly string[]; folder?: string };
  /** Environment by which its clients take the authority of the run for a good one. */
  trust(authority: Authority): Promise<Record<string, string>>;
}

/** The certificate authority of the run. */
export interface Authority {
  folder: string;
  /** Its certificate, PEM. */
  certificate: string;
}

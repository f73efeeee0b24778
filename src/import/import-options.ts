// The options of an import.

import type { Settings } from '#config/settings.ts';
import type { Database } from '#store/database/connection.ts';
import type { Progress } from './collect/progress.ts';
import type { PeopleCheck } from './guards/finished-snapshot.ts';
import type { Acceptance } from './guards/verdict.ts';
import type { LinkedAccounts } from './judgement/linked-accounts.ts';

export interface ImportOptions {
  /** Paths of files and folders. */
  paths: readonly string[];
  settings: Pick<Settings, 'dataFolder' | 'namespace'> & {
    directory: Pick<Settings['directory'], 'guards' | 'keep' | 'largestUnpacked' | 'distribution'>;
    keys: Pick<Settings['keys'], 'secrets'>;
  };
  database: Database;
  /** Does everything except the switch. */
  dryRun?: boolean;
  /** Acceptances for this edition. With `other-people`, it is judged like a first import. */
  accept?: readonly Acceptance[];
  /**
   * The watched folder that holds the files. Set if no operator chose the files. They are then treated like files of a folder, and the
   * directory does not return to an edition that was rolled back.
   */
  foundIn?: string;
  /**
   * Imports the files only if the directory is empty or holds the same ones already. Any other directory stays as it is, and the outcome is
   * `unchanged`.
   */
  onlySameFiles?: boolean;
  /** Checks the people before the switch. It is also called if the directory already holds the edition. */
  checkPeople?: PeopleCheck;
  /** The sign-in accounts that are linked to the directory. They are compared with each edition that is judged. */
  linkedAccounts?: LinkedAccounts;
  onProgress?: (progress: Progress) => void;
  /** Lets a test use the threads of a large edition for a small one. See `PassesOptions`. */
  bucketBytes?: number;
}

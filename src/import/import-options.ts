// What an import is asked to do.

import type { Settings } from '#config/settings.ts';
import type { Database } from '#store/database/connection.ts';
import type { Progress } from './collect/progress.ts';
import type { PeopleCheck } from './guards/finished-snapshot.ts';
import type { Acceptance } from './guards/verdict.ts';
import type { LinkedAccounts } from './judgement/linked-accounts.ts';

export interface ImportOptions {
  /** Files and folders. */
  paths: readonly string[];
  settings: Pick<Settings, 'dataFolder' | 'namespace'> & {
    directory: Pick<Settings['directory'], 'guards' | 'keep' | 'largestUnpacked'>;
  };
  database: Database;
  /** Everything but the switch. */
  dryRun?: boolean;
  /** What the operator accepts of this edition; `other-people`: it is judged like a first load. */
  accept?: readonly Acceptance[];
  /**
   * The watched folder in which the files were found: nobody chose them, so that they count as those of a folder; and the
   * directory does not return to an edition that was rolled back.
   */
  foundIn?: string;
  /** A directory of other files stays as it is; the outcome is then `unchanged`. */
  onlySameFiles?: boolean;
  /** Called before the switch, and when the directory holds the edition already. */
  checkPeople?: PeopleCheck;
  /** The sign-in accounts that are linked to the directory: compared with each edition that is judged. */
  linkedAccounts?: LinkedAccounts;
  onProgress?: (progress: Progress) => void;
  /** For tests that want the threads of a large edition for a small one, see `PassesOptions`. */
  bucketBytes?: number;
}

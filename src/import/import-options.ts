// The options of an import.

import type { Settings } from '#config/settings.ts';
import type { Database } from '#store/database/connection.ts';
import type { Progress } from './collect/progress.ts';
import type { Acceptance } from './guards/acceptances.ts';
import type { PeopleCheck } from './guards/finished-snapshot.ts';
import type { LinkedAccounts } from './judgement/linked-accounts.ts';

export interface ImportOptions {
  /** Paths of files and folders. */
  paths: readonly string[];
  settings: Pick<Settings, 'dataFolder' | 'namespace'> & {
    directory: Pick<Settings['directory'], 'guards' | 'keep' | 'largestUnpacked' | 'distribution'>;
    keys: Pick<Settings['keys'], 'secrets'>;
  };
  database: Database;
  /** If true, the import does everything except the switch to the new edition. */
  dryRun?: boolean;
  /**
   * The guards that the operator overrides for this edition (`--accept`): their failed verdicts do not refuse it. `other-people` is no
   * guard. It means that the edition is judged like a first import, without a comparison with the edition before.
   */
  accept?: readonly Acceptance[];
  /**
   * Set if the service found the files in a watched folder, and no operator chose them: the path of the folder. The import takes only the
   * newest files among `paths`. If an operator has rolled the directory back from an edition, the import refuses this edition.
   */
  foundIn?: string;
  /**
   * Imports the files only if the directory is empty or was imported from the same files. Otherwise the directory stays as it is, and the
   * outcome is `unchanged`.
   */
  onlySameFiles?: boolean;
  /** Checks before the switch whether the people of the edition may be served. Also called if the directory already holds the edition. */
  checkPeople?: PeopleCheck;
  /** Compares the sign-in accounts that are linked to the directory with each edition that is judged. */
  linkedAccounts?: LinkedAccounts;
  onProgress?: (progress: Progress) => void;
  /** Target size of a bucket in bytes. Tests set it so that a small edition uses the threads of a large one. See `PassesOptions`. */
  bucketBytes?: number;
}

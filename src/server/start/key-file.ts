// Makes the file with the service's own key secret, or reads it if another process that uses the same data folder was faster.
// `secure-keys.ts` calls it at a start.

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '#shared/disk.ts';
import { Refusal } from '#shared/operator-messages.ts';

/** Error codes of mounts that do not support hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Returns the key secret: 256 random bits, which are on the disk before anything is encrypted with them. `made` is true if this call made
 * the file. If several processes call it, one makes the file, and all read the secret from it.
 */
export async function takeKeyFile(file: string, link = linkSync): Promise<{ secret: string; made: boolean }> {
  const secret = randomBytes(32).toString('base64');
  // The temporary name is random, because a process id may not be unique: processes in several containers may share the folder.
  const whole = `${file}.${randomBytes(8).toString('hex')}`;
  write(whole, secret);
  try {
    // The file gets its final name in one step, by a hard link, so that no process finds half of it.
    link(whole, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || (NO_LINKS.includes(code) && !writeIfMissing(file, secret))) {
      return { secret: readWhole(file), made: false };
    }
    if (!NO_LINKS.includes(code)) throw error;
  } finally {
    rmSync(whole, { force: true });
  }
  // A failure does not matter here, because the file itself was flushed already.
  await syncFolder(dirname(file)).catch(() => {});
  return { secret, made: true };
}

function write(file: string, secret: string): void {
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
}

/** Writes the file and returns true. Returns false if the file exists already. */
function writeIfMissing(file: string, secret: string): boolean {
  try {
    write(file, secret);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readWhole(file: string): string {
  const secret = readFileSync(file, 'utf8').trim();
  if (Buffer.from(secret, 'base64').length >= 32) return secret;
  throw new Refusal(
    `${file} holds only a part of a secret: another process is writing it now, or did not finish. Start again.`,
  );
}

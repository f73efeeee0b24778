// operations.md: a demonstration whose directory is of another layout gets it anew.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { loadSettings } from '#config/index.ts';
import { prepareStart } from '#server/start/first-start.ts';
import { createLog } from '#shared/log/log.ts';
import { openDatabase } from '#store/database/connection.ts';
import { hasOtherLayout, snapshotFolder } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';
import { SHIPPED_CONFIG } from '#support/config/shipped.ts';
import { newFolder } from '#support/new-folder.ts';
import { copyTemplate } from '#support/service-template.ts';

describe('operations.md: a demonstration after an upgrade, with a directory of another layout', () => {
  let folder: string;
  beforeEach(async () => {
    folder = newFolder();
    await copyTemplate('sqlite', folder);
  });

  const startUpon = async (change: Record<string, string>) => {
    const settings = await loadSettings({ HYGIE_CONFIG: SHIPPED_CONFIG, HYGIE_DATA: folder });
    const database = openDatabase(settings.database);
    try {
      const before = await findCurrentSnapshot(database);
      const file = join(snapshotFolder(folder), before?.file ?? '');
      chmodSync(file, 0o644);
      const snapshot = new BetterSqlite3(file);
      snapshot.exec("update property set value = '3' where name = 'layout'");
      snapshot.close();
      if (Object.keys(change).length > 0) await database('directory_snapshots').update(change);
      const lines: string[] = [];
      const log = createLog({ level: 'info', format: 'json' }, { write: (line: string) => void lines.push(line) });
      const state = await prepareStart(settings, log);
      const after = await findCurrentSnapshot(database);
      return {
        state,
        lines: lines.join(''),
        replaced: after?.id !== before?.id,
        readable: !hasOtherLayout(after, folder),
      };
    } finally {
      await database.destroy();
    }
  };

  it('loads the fictional one again', async () => {
    const { state, lines, ...found } = await startUpon({});
    expect(found).toEqual({ replaced: true, readable: true });
    expect(state.directory).toBe(true);
    expect(lines).toContain('the fictional directory is loaded');
  });

  it('leaves one that an operator imported, and names the remedy', async () => {
    const { state, lines, ...found } = await startUpon({ sources_checksum: 'of other files' });
    expect(found).toEqual({ replaced: false, readable: false });
    expect(state.directory).toBe(false);
    expect(lines).toMatch(/of another layout.*is rebuilt.*import its edition again.*directory import PATH/);
  });
});

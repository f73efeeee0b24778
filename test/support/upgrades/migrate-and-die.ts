// A process that migrates the database in UPGRADE_DATABASE and kills itself at its query number UPGRADE_KILL_AT, as `kill -9` would.

import { openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';

const database = openDatabase(JSON.parse(process.env['UPGRADE_DATABASE'] ?? ''));
let left = Number(process.env['UPGRADE_KILL_AT']);
database.on('query', () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
});
await migrate(database);
await database.destroy();

// The process in which a service watches a folder (`directory.watch`).

import { loadSettings } from '../../config/index.ts';
import { createLog } from '../../shared/log/log.ts';
import { watchDirectory } from './directory-watch.ts';

// The service says when to end; the terminal's Ctrl-C, and a supervisor's signal to all, come to both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
const ended = new AbortController();
process.on('disconnect', () => ended.abort());

const settings = await loadSettings(process.env);
const log = createLog(settings.log);
const { watch, settle } = settings.directory;
if (watch !== undefined) await watchDirectory({ folder: watch, settle }, settings, log, ended.signal);
if (process.connected) process.disconnect?.();

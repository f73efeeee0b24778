#!/usr/bin/env node
// Entry of the npm scripts and of the command hygie: refuses a Node that cannot run TypeScript, then loads main.ts.
// Plain JavaScript in old syntax, so that an old Node gets as far as the message.

const version = process.versions.node.split('.').map(Number);
const major = version[0] || 0;
const minor = version[1] || 0;
const tooOld = major < 22 || (major === 22 && minor < 18) || (major === 23 && minor < 6);

if (tooOld) {
  process.stderr.write(
    'Hygie needs Node 22.18 or newer and was started with Node ' +
      process.versions.node +
      ': install Node 24 from https://nodejs.org/. (A full "npm ci", without --omit=dev, brings its own for the npm scripts.)\n',
  );
  process.exitCode = 1;
} else {
  // What the service and its commands make is for the account that runs them only: files 0600, folders 0700 (SEC-63).
  process.umask(0o077);
  // The debug output of libraries has tokens, passwords and the values of SQL in plain text; a report of a crash has the environment.
  delete process.env.DEBUG;
  if (process.report) process.report.excludeEnv = true;
  import('./compile-cache.js').then(() => import('./main.ts'));
}

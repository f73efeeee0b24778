#!/usr/bin/env node
// Entry of the npm scripts and of the command hygie: refuses a Node that cannot run TypeScript, then loads main.ts.
// It is plain JavaScript in old syntax, so that an old Node gets as far as the message.

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
  // Files (0600) and folders (0700) that the service and its commands make are only for the account that runs them (SEC-63).
  process.umask(0o077);
  // Debug output of libraries would show tokens, passwords and values of SQL in plain text, so it is switched off. The report of a crash
  // leaves out the environment, which holds secrets.
  delete process.env.DEBUG;
  if (process.report) process.report.excludeEnv = true;
  import('./compile-cache.js').then(() => import('./main.ts'));
}

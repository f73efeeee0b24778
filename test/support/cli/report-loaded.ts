// Reports on standard error each module of OpenTelemetry and of prom-client that a process loads: `NODE_OPTIONS=--import=THIS`.

import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    const [, name] = /\/node_modules\/(@opentelemetry\/[\w-]+|prom-client)\//.exec(url) ?? [];
    if (name !== undefined) process.stderr.write(`loaded ${name}\n`);
    return next(url, context);
  },
});

// Reports on standard error each module of OpenTelemetry's SDK that a process loads: `NODE_OPTIONS=--import=THIS`. The package `api` alone is
// left out: prom-client has it loaded.

import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    const [, name] = /\/@opentelemetry\/([\w-]+)\//.exec(url) ?? [];
    if (name !== undefined && name !== 'api') process.stderr.write(`loaded @opentelemetry/${name}\n`);
    return next(url, context);
  },
});

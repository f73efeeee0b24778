// Which routes the service has, and which of them were asked: noted by the routers themselves, so that a new route cannot be forgotten.

import { relative } from 'node:path';

interface RouterPrototype {
  route(path: unknown): {
    methods: Record<string, boolean>;
    dispatch(req: { method: string }, ...rest: unknown[]): void;
  };
}

export interface KnownRoute {
  /** `METHOD path (file)`, as it was made. */
  name: string;
  path: string;
  asked: boolean;
}

/** One handler of the directory answers every other method (`methodNotAllowed`); it is asked at one route. */
const ALL = '_all';

/**
 * To be called before the application is made: returns the routes that Express' routers have, one by method, until `end`.
 */
export function watchRoutes(express: { Router: unknown }): { known(): KnownRoute[]; end(): void } {
  const { prototype } = express.Router as { prototype: RouterPrototype };
  const made: { path: string; file: string; route: ReturnType<RouterPrototype['route']>; asked: Set<string> }[] = [];
  const { route: make } = prototype;
  prototype.route = function (path) {
    const route = make.call(this, path);
    const asked = new Set<string>();
    made.push({ path: [path].flat().join(' | '), file: callerOf(), route, asked });
    const { dispatch } = route;
    route.dispatch = (req, ...rest) => {
      asked.add(req.method.toLowerCase());
      dispatch.call(route, req, ...rest);
    };
    return route;
  };
  const known = () => {
    const routes = new Map<string, KnownRoute>();
    for (const { path, file, route, asked } of made) {
      for (const method of Object.keys(route.methods).filter((one) => one !== ALL)) {
        const name = `${method.toUpperCase()} ${path} (${file})`;
        // The same route is made again when the keys change.
        routes.set(name, { name, path, asked: asked.has(method) || (routes.get(name)?.asked ?? false) });
      }
    }
    return [...routes.values()];
  };
  return {
    known,
    // Other tests use the same library.
    end: () => {
      prototype.route = make;
    },
  };
}

const SOURCE = /(?:file:\/\/)?(\/\S+?\/src\/[^:)\s]+)/g;

/** The file of the service that makes the route. */
function callerOf(): string {
  const stack = new Error().stack ?? '';
  const file = [...stack.matchAll(SOURCE)].map(([, path = '']) => path).find((path) => !path.includes('node_modules'));
  return file === undefined ? '?' : relative(process.cwd(), file);
}

// Where an application begins, for the buttons that lead back to it: only ever an address that the operator registered, never one of
// a request (SEC-03).

/** What is read of an application; `redirectUris` as registered. */
export interface RegisteredApplication {
  clientName?: string | undefined;
  applicationType?: string | undefined;
  clientUri?: string | undefined;
  redirectUris?: readonly string[] | undefined;
}

/** An application with the address of its first page; without one, it is opened as it always is. */
export interface Application {
  name: string;
  home?: string;
}

/**
 * The home page that was registered, else the origin of a callback: of `callback`, where a sign-in had one, if it is registered. None
 * of apps on a device, whose callbacks are no pages.
 */
export function applicationOf(client: RegisteredApplication, callback?: string): Application | undefined {
  const { clientName: name, applicationType, clientUri, redirectUris = [] } = client;
  if (name === undefined) return undefined;
  if (clientUri !== undefined) return { name, home: clientUri };
  if (applicationType === 'native') return { name };
  const address = callback !== undefined && redirectUris.includes(callback) ? callback : redirectUris[0];
  const url = address === undefined ? null : URL.parse(address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? { name, home: `${url.origin}/` } : { name };
}

// Finds the start page of an application for the buttons that lead back to it. It is always an address that the operator registered, never
// one from a request (SEC-03).

/** The metadata of an application that is used here, with `redirectUris` as registered. */
export interface RegisteredApplication {
  clientName?: string | undefined;
  applicationType?: string | undefined;
  clientUri?: string | undefined;
  redirectUris?: readonly string[] | undefined;
}

/** An application with the address of its first page, if that is known. */
export interface Application {
  name: string;
  home?: string;
}

/**
 * The registered home page, or else the origin of a callback: that of `callback`, if it is registered, otherwise the first one. Apps on a
 * device have no home page, since their callbacks are not pages.
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

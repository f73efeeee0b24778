// A person with a browser, without the browser: cookies, redirects and forms over plain HTTP, for tests that need a
// sign-in but not its looks. Does not run scripts; real-browser tests use `browser.ts`.

/** A page as the person sees it, or the address outside the service to which the browser was sent. */
export interface Visit {
  url: string;
  status: number;
  html: string;
  headers: Headers;
  /** Set when a redirect left the service: the callback with `code` and `state`. */
  left?: URL;
}

export interface Person {
  /** Opens an address and follows redirects as long as they stay on the service. */
  visit(url: string | URL, init?: RequestInit): Promise<Visit>;
  /** Fills in the form that has a button with this id, and presses the button. */
  press(visit: Visit, buttonId: string, fields?: Record<string, string>): Promise<Visit>;
  /** Opens the authorization request and answers every page until the browser leaves the service. */
  signIn(authorizationUrl: string | URL, credentials: { login: string; password: string }): Promise<URL>;
  cookies: Map<string, string>;
  /** Keeps the cookies of an answer that was fetched in another way. */
  remember(headers: Headers): void;
  /** Every Set-Cookie line received so far, for tests about attributes. */
  setCookies: string[];
}

const MAX_REDIRECTS = 10;
/** Statuses at which a browser goes to `location`: at 304, it does not. */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Where requests go: `fetch`, or another instance of the same service. */
type Send = (
  url: URL,
  init: { method?: string; body?: BodyInit; headers: Record<string, string> },
) => Promise<Response>;

const fetchPage: Send = (url, init) => fetch(url, { ...init, redirect: 'manual' });

/** A new browser with an empty cookie jar. Cookies are kept by name and path. */
export function createPerson(origin: string, send = fetchPage): Person {
  const cookies = new Map<string, string>();
  const setCookies: string[] = [];

  const remember = (headers: Headers) => {
    for (const line of headers.getSetCookie()) {
      setCookies.push(line);
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const name = pair.slice(0, pair.indexOf('='));
      const attribute = (name: string) =>
        attributes.find((one) => one.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
      const path = attribute('path') ?? '/';
      const maxAge = attribute('max-age');
      const expires = attribute('expires');
      // Max-Age has precedence (RFC 6265 section 4.1.2.2).
      const gone = maxAge ? Number(maxAge) <= 0 : expires !== undefined && Date.parse(expires) <= Date.now();
      if (gone) cookies.delete(`${name} ${path}`);
      else cookies.set(`${name} ${path}`, pair.slice(pair.indexOf('=') + 1));
    }
  };
  const pathOf = ([key]: [string, string]) => key.slice(key.indexOf(' ') + 1);
  const cookieHeader = (url: URL) =>
    [...cookies]
      .filter((cookie) => {
        const path = pathOf(cookie);
        return path === '/' || url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
      })
      // RFC 6265 section 5.4. When cookie keys change, the library signs a cookie anew for the path `/`, whatever its own is.
      .sort((one, other) => pathOf(other).length - pathOf(one).length)
      .map(([key, value]) => `${key.slice(0, key.indexOf(' '))}=${value}`)
      .join('; ');

  const visit = async (address: string | URL, init: RequestInit = {}): Promise<Visit> => {
    let url = new URL(address, origin);
    let request: RequestInit = init;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const headers = new Headers(request.headers);
      headers.set('accept', 'text/html');
      // What pages say is the same without; what compresses them has tests of its own.
      headers.set('accept-encoding', 'identity');
      const cookie = cookieHeader(url);
      if (cookie) headers.set('cookie', cookie);
      const { method, body } = request;
      const response = await send(url, {
        ...(method && { method }),
        ...(body && { body }),
        headers: Object.fromEntries(headers),
      });
      remember(response.headers);
      const location = response.headers.get('location');
      if (!location || !REDIRECTS.includes(response.status)) {
        return { url: url.href, status: response.status, html: await response.text(), headers: response.headers };
      }
      await response.body?.cancel();
      const next = new URL(location, url);
      if (next.origin !== origin || next.pathname.startsWith('/demo/')) {
        return { url: url.href, status: response.status, html: '', headers: response.headers, left: next };
      }
      url = next;
      request = {};
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects from ${address}`);
  };

  const press: Person['press'] = (page, buttonId, fields = {}) => {
    const form = formWith(page.html, buttonId);
    const body = new URLSearchParams({ ...form.fields, ...fields });
    const action = new URL(form.action || page.url, page.url);
    return visit(action, { method: 'POST', body, headers: { origin } });
  };

  const signIn: Person['signIn'] = async (url, { login, password }) => {
    let page = await visit(url);
    for (let pages = 0; pages < 4 && !page.left; pages += 1) {
      if (page.html.includes('id="sign-in"')) page = await press(page, 'sign-in', { login, password });
      else if (page.html.includes('id="allow"')) page = await press(page, 'allow');
      else break;
    }
    if (!page.left) throw new Error(`sign-in stopped at ${page.url} (${page.status}):\n${page.html.slice(0, 2000)}`);
    return page.left;
  };

  return { visit, press, signIn, cookies, remember, setCookies };
}

interface Form {
  action: string;
  fields: Record<string, string>;
}

function formWith(html: string, buttonId: string): Form {
  const button = html.match(new RegExp(`<button\\b[^>]*\\bid="${buttonId}"[^>]*>`))?.[0];
  const forms = [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map(([whole]) => whole);
  // A button may stand outside its form and name it.
  const named = button && attribute(button, 'form');
  const form = forms.find((whole) => (named ? attribute(whole, 'id') === named : button && whole.includes(button)));
  if (!button || !form) throw new Error(`no form with a button #${buttonId} in:\n${html.slice(0, 2000)}`);
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input\b[^>]*>/g)) {
    const name = attribute(input, 'name');
    // As browsers do: of radio buttons and boxes, those that are chosen.
    if (/type="(radio|checkbox)"/.test(input) && !/\schecked\b/.test(input)) continue;
    if (name) fields[name] = attribute(input, 'value') ?? '';
  }
  const pressed = attribute(button, 'name');
  if (pressed) fields[pressed] = attribute(button, 'value') ?? '';
  return { action: attribute(button, 'formaction') ?? attribute(form, 'action') ?? '', fields };
}

function attribute(tag: string, name: string): string | undefined {
  const found = tag.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1];
  return found
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

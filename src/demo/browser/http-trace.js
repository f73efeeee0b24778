// Writes the HTTP messages of the login sequence out for people: one parameter a line, random values shortened, secrets left
// out. Runs in the browser and on the server.

const MASKED = /^client_secret$/;
const SHORTENED =
  /^(code|state|nonce|code_challenge|code_verifier|access_token|id_token|refresh_token|id_token_hint|at_hash)$/;

/** A parameter's value as a page may show it. */
export function shown(name, value) {
  if (MASKED.test(name)) return '••••••••';
  return SHORTENED.test(name) && value?.length > 10 ? `${value.slice(0, 8)}…` : value;
}

/** A request line with its query. */
export function requestText(method, url) {
  return [`${method} ${url.origin}${url.pathname}`, ...parameterLines(url.searchParams, '?')].join('\n');
}

/** An object of claims or of a token response as indented JSON. */
export function jsonText(value) {
  return JSON.stringify(value, (name, item) => (typeof item === 'string' ? shown(name, item) : item), 2);
}

/** The parameters of a query, after `?`, or of a form, after a blank. */
function parameterLines(parameters, first) {
  return [...parameters].map(([name, value], index) => {
    const separator = index === 0 || first === ' ' ? first : '&';
    return `  ${separator}${name}=${shown(name, value)}`;
  });
}

/** A `fetch` that reports each request and its answer: `report(path, text)`. */
export function recordingFetch(report) {
  return async (address, options) => {
    const response = await fetch(address, options);
    const url = new URL(address);
    const form = options.body instanceof URLSearchParams ? ['', ...parameterLines(options.body, ' ')] : [];
    const answer = jsonText(
      await response
        .clone()
        .json()
        .catch(() => ''),
    );
    const text = [requestText(options.method, url), ...form, '', `HTTP ${response.status}`, answer];
    report(url.pathname, text.join('\n'));
    return response;
  };
}

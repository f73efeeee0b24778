// What the drivers in JavaScript share: a line for each check, and the way to the scripted person.

export const {
  HYGIE_ISSUER: ISSUER,
  HYGIE_DIRECTORY: DIRECTORY,
  CLIENT_ID,
  CLIENT_SECRET,
  CALLBACK,
  SIGNED_OUT,
  APP_URL,
  PORT,
  PERSON_SUB,
  PERSON_EMAIL,
} = process.env;

export const ENDPOINTS = {
  authorize: `${ISSUER}/authorize`,
  token: `${ISSUER}/oauth/token`,
  revoke: `${ISSUER}/oauth/revoke`,
  userinfo: `${ISSUER}/userinfo`,
};

/** Prints whether it could be done; what fails does not end the driver. */
export async function check(what, run) {
  try {
    await run();
    console.log(`ok - ${what}`);
  } catch (error) {
    const cause = error.cause ? ` (${error.cause.message ?? error.cause})` : '';
    console.log(`not ok - ${what}: ${`${error.message ?? error}${cause}`.replace(/\s+/g, ' ')}`);
    if (process.env.VERBOSE) console.error(error);
  }
}

export function equal(found, expected, of) {
  if (found !== expected) throw new Error(`${of} is ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

export function present(found, of) {
  if (!found) throw new Error(`no ${of}`);
}

/** That a refusal reached the caller as what it was. */
export async function refused(run, matches) {
  const error = await run().then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!error) throw new Error('was not refused');
  if (!matches(error)) throw new Error(`does not name the error: ${error.message}`);
}

async function ask(way, url, person) {
  const query = new URLSearchParams({ url, ...(person && { person }) });
  const answer = await fetch(`${process.env.BROWSER_URL}/${way}?${query}`);
  const body = await answer.text();
  if (!answer.ok) throw new Error(body);
  const told = (name) => answer.headers.get(name) ?? '';
  return { body, url: told('x-final-url'), status: Number(told('x-final-status')), pressed: told('x-pressed') };
}

/** The callback to which the service sends the browser after a person signed in at this authorization request. */
export const signIn = async (url, person) => (await ask('sign-in', url, person)).body;

/** The same, and which buttons of the service were pressed on the way. */
export async function signInPressing(url, person) {
  const { body, pressed } = await ask('sign-in', url, person);
  return { to: body, pressed };
}

/** The page on which the browser of a person ends that opens this address of an application: as JSON. */
export async function journey(url, person) {
  const page = await ask('journey', url, person);
  if (page.status !== 200) throw new Error(`${page.url} answers ${page.status}: ${page.body.slice(0, 500)}`);
  return page;
}

export async function userinfo(accessToken) {
  const answer = await fetch(ENDPOINTS.userinfo, { headers: { authorization: `Bearer ${accessToken}` } });
  return answer.json();
}

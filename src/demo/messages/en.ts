// The English messages of the demo. `fr.ts` has the same shape.

import { directoryEn } from './directory-en.ts';

export const en = {
  language: { name: 'English', tag: 'en' },
  brand: 'Mirabelle',
  invented: 'For trying things out: this application is invented, like everybody in it. Don’t enter real data.',
  skip: 'Skip to content',
  nav: {
    label: 'Main',
    steps: 'My sign-in',
  },
  signIn: 'Sign in with Hygie',
  signInAgain: 'Sign in again',
  signOut: 'Sign out',
  toStart: 'Back to the start page',
  /** Formats of times and dates. */
  moment: { locale: 'en-GB', between: ' at ', hours: ':' },
  start: {
    title: 'A sign-in, seen from the other side',
    lead: 'Mirabelle stands for your application. It knows nothing of Hygie but its public addresses: it sends people there to sign in, learns who they are, and searches the directory of health professionals on their behalf. After each sign-in it shows every message exchanged.',
    signedIn: (name: string) => `You are signed in as ${name}.`,
    toSearch: 'Search the directory',
    signedOut: 'You are signed out: your session has ended here and at Hygie.',
    ended: 'Hygie ended your session.',
    toEnding: 'See the logout token',
    server: {
      title: 'From a server',
      text: 'Express keeps the tokens in a session; openid-client speaks OpenID Connect, fhir-kit-client speaks FHIR. The client authenticates with its secret and, in addition, with PKCE.',
      code: 'The code to copy:',
    },
    browser: {
      title: 'In the browser only',
      text: 'The page to try the directory has no server behind it. Authorization code with PKCE, without a secret; the token stays in the tab.',
      open: 'Try the directory',
      code: 'The code to copy:',
    },
    stepsTitle: 'Seven steps, and you will see each of them',
    accountsTitle: 'People to sign in as',
    accountsLead: 'All of them are invented, and so is the directory.',
    onePassword: 'The same password for everybody:',
    account: { name: 'Name', login: 'E-mail address', password: 'Password', note: 'Worth knowing' },
  },
  steps: {
    title: (name: string) => `Welcome, ${name}`,
    newcomer: 'This is your first visit to Mirabelle: it has just opened a record under your uuid.',
    returning: 'Mirabelle already knows you, by your uuid.',
    remaining: (minutes: number) =>
      minutes > 0 ? `The access token is valid for another ${minutes}\u00a0min.` : 'The access token has expired.',
    who: {
      title: 'Who is signed in',
      uuid: 'uuid',
      email: 'E-mail address',
      verified: 'verified',
      unverified: 'not verified',
      identities: 'Identities',
      workspace: 'Current place of work',
      none: 'None',
      missing: 'not in the directory, or not for this token',
      api: 'Directory',
    },
    shell: {
      title: 'On the command line',
      lead: 'With your own token, in full; the second box tries it. Mirabelle and its people are invented; a real application never shows anybody a token.',
      set: 'Token and address of the directory, for a POSIX shell',
      ask: 'A first search',
    },
    happened: 'What has just happened',
    happenedLead:
      'These are the real messages. Codes, tokens and other random values are cut short, the secret is blanked out.',
    list: [
      {
        title: 'The application redirects the browser',
        text: 'To the authorization endpoint, with a random state of 43 characters, a nonce, and the scopes it wants.',
      },
      {
        title: 'The service sends the browser back',
        text: 'After sign-in and consent, to the registered address, with a short-lived code and the same state.',
      },
      {
        title: 'The application checks the state',
        text: 'They match: this answer belongs to the request that this browser made. Anything else would be rejected.',
      },
      {
        title: 'The application exchanges the code',
        text: 'Directly from server to server, once, with its secret and the PKCE verifier. Back come an access token and an ID token.',
      },
      {
        title: 'The application reads who the person is',
        text: 'From the ID token, whose signature, issuer, audience, nonce and time were checked; or by asking the userinfo endpoint. Both say the same.',
      },
      {
        title: 'The application starts its own session',
        text: 'A fresh session cookie of its own. The person is known by the uuid; somebody unknown would be sent to the sign-up of the application.',
      },
    ],
    later: {
      title: 'The service ends the session elsewhere',
      text: 'End it elsewhere, for example in your account on the page “Sessions”: Hygie sends a logout token to this address. Mirabelle verifies it, ends its own session at once, and shows you the token.',
      toAccount: 'Open my Hygie account',
    },
    contents: 'On this page',
    messages: 'The messages',
    code: (file: string, first: number) => `The code: ${file}, from line ${first}`,
    secondFactor: {
      title: 'Sign in again with a second factor',
      text: 'For what needs more certainty, Mirabelle demands a second factor in the claims parameter, and reads acr in the ID token. Whoever has none sets one up on the way.',
      had: 'This sign-in had a second factor.',
      submit: 'Sign in with a second factor',
    },
    claims: {
      title: 'The ID token beside userinfo',
      claim: 'Claim',
      idToken: 'ID token',
      userinfo: 'userinfo',
      absent: '-',
    },
  },
  ended: {
    title: 'Hygie ended your session',
    lead: (moment: string) =>
      `Hygie told Mirabelle on ${moment}, from server to server, and Mirabelle ended its own session. Your browser took no part in it.`,
    happened: 'The steps of this sign-out',
    happenedLead: 'This is the real token, decoded. Its signature is cut short.',
    list: [
      {
        title: 'The service sends a logout token',
        text: 'By a POST to the registered address of the application. Without an answer of 200 or 204 it tries again for a day.',
      },
      {
        title: 'The application verifies the token',
        text: 'The signature, with the public keys of the service, and then each claim. A token that does not fit is refused with a 400, and nothing changes.',
      },
      {
        title: 'The application ends its own session',
        text: 'The one with the same sid, and its tokens. At the next request of this browser the person is no longer known.',
      },
    ],
    claims: {
      title: 'What the logout token says',
      value: 'Value',
      meaning: 'What the application checks',
      absent: 'absent',
    },
    /** Explanations of the claims of the logout token, by the name of the claim. */
    meanings: {
      typ: 'In the header: this is neither an ID token nor an access token.',
      iss: 'The issuer is Hygie.',
      aud: 'The token is meant for this application.',
      iat: (moment: string) => `Issued on ${moment}: a few minutes ago at most.`,
      exp: (moment: string) => `Valid until ${moment}.`,
      jti: 'Never received before: a token counts once.',
      events: 'The event is a sign-out.',
      sub: 'The person whose session has ended.',
      sid: 'The session that has ended, as in the ID token of step 5.',
      nonce: 'Forbidden here, so that no ID token can pass for a logout token.',
    },
  },
  directory: directoryEn,
  problem: {
    state: {
      title: 'This answer is not trusted',
      text: 'The state that came back is not the one this browser was sent away with. Either the sign-in was begun elsewhere or long ago, or somebody tried to slip you theirs. Nothing was exchanged.',
    },
    cancelled: {
      title: 'No sign-in',
      text: 'You cancelled. Mirabelle has learned nothing about you; begin again whenever you like.',
      said: 'What the service said',
    },
    secondFactor: {
      title: 'A second factor is missing',
      text: 'Mirabelle demanded one, and the ID token does not say that there was one. So nobody is signed in.',
    },
    refused: { title: 'No sign-in', text: 'The service sent you back without a sign-in. It says:' },
    exchange: {
      title: 'The sign-in could not be completed',
      text: 'The answer of the service was not accepted. The reason:',
    },
    session: {
      title: 'Please sign in',
      text: 'You are not signed in to this application, or your session here has ended.',
    },
    unavailable: {
      title: 'Hygie does not answer',
      text: 'The service may still be starting. Wait a moment and try again.',
    },
    certificate: {
      title: 'The certificate of Hygie is not trusted',
      text: 'Like every other application, Mirabelle calls Hygie at its public address; the certificate there comes from an authority that Node doesn’t know, or doesn’t match. Whoever runs the service starts it with NODE_EXTRA_CA_CERTS=/path/to/authority.pem. The reason:',
    },
    gone: {
      title: 'This record is not in the directory',
      text: 'It has been removed, or the address is not complete.',
    },
    unknownPage: {
      title: 'This page doesn’t exist',
      text: 'Mirabelle has nothing at this address. The link may be old or incomplete.',
    },
    unexpected: { title: 'Something went wrong here', text: 'The service’s log has the reason.' },
  },
  footer: 'Mirabelle only runs in development and in a sandbox.',
};

export type Messages = typeof en;

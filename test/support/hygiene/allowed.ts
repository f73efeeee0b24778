// Where a secret or personal data may stand after all, each with its reason. What is not in this table may stand nowhere.

export interface Allowance {
  /** Kinds of canaries, as the drives name them. */
  kinds: readonly string[];
  /**
   * Names of places (`places.ts`), or of a part of an answer: `own`, to the browser or client that the canary belongs to; `echo`, to whoever
   * has just sent it; `foreign`, to anybody else; then the part, the method and the path.
   */
  place: RegExp;
  reason: string;
}

const PAGE = '(?:body|location) (?:GET|POST)';
const TYPED = [
  'e-mail of a stranger',
  'password in the e-mail field',
  'login_hint',
  'search',
  'new e-mail',
  'name',
  'e-mail of an account',
];
const IN_ADDRESS = [
  'authorization code',
  'state',
  'access token',
  'password',
  'nonce',
  'login_hint',
  'in the path',
  'address',
  'interaction id',
];

export const ALLOWED: readonly Allowance[] = [
  // Answers may contain what they are there to give.
  {
    kinds: ['cookie', 'interaction id'],
    place: /^(own|echo) set-cookie /,
    reason: 'a cookie goes to the browser that it is made for, and to no other',
  },
  {
    kinds: ['interaction id'],
    place: new RegExp(`^(own|echo) ${PAGE} /(authorize|interaction|account|account-link|demo)`),
    reason: 'addresses of a sign-in lead its own browser on; without the cookie they open nothing',
  },
  {
    kinds: ['csrf token', 'passkey challenge', 'passkey user handle'],
    place: /^own body /,
    reason: 'forms and options of passkeys carry it, in the page of the browser that it is made for',
  },
  {
    kinds: ['authorization code', 'state'],
    place: /^(own|echo) (location|body) GET \/(authorize|account)/,
    reason: 'RFC 6749 section 4.1.2: the redirect to the application has both',
  },
  {
    kinds: ['state'],
    place: /^echo (location|body) GET \/logout/,
    reason: 'OpenID Connect RP-Initiated Logout section 3: it comes back as it was sent',
  },
  {
    kinds: ['access token', 'refresh token', 'ID token', 'nonce'],
    place: /^(own|foreign) body POST \/oauth\/token$/,
    reason: 'the answer to the client; the nonce is a claim of its ID token',
  },
  {
    kinds: ['PAR request_uri'],
    place: /^own body POST \/oauth\/par$/,
    reason: 'the answer to the client that pushed the request',
  },
  {
    kinds: ['second factor secret', 'recovery code'],
    place: /^own body (GET|POST) \/(account|interaction)\//,
    reason: 'shown once to the person who sets a second factor up',
  },
  {
    kinds: ['link token'],
    place: /^(own|echo) body (GET|POST) \/account-link\//,
    reason: 'the form of the page is posted to its own address',
  },
  {
    kinds: ['name', 'new e-mail', 'e-mail of an account', 'login_hint'],
    place: /^own body /,
    reason: 'the pages of a person have their name and address',
  },
  {
    kinds: ['new e-mail'],
    place: /^foreign body GET \/outbox/,
    reason: 'of development alone: a page has every mail that would have been sent',
  },
  // An answer may repeat what its own request has sent.
  {
    kinds: TYPED,
    place: /^echo (body|location) /,
    reason: 'a field or a self link shows what was typed to the one who typed it',
  },
  {
    kinds: [...IN_ADDRESS, 'request object', 'PAR request_uri', 'ID token', 'callback'],
    place: /^echo (body|location) (GET|POST) /,
    reason:
      'the link to the same address in the other language, or the redirect of a posted request, to the one who sent it',
  },
  // Commands may show these to their operator.
  {
    kinds: ['new client secret'],
    place: /^command clients secret, standard output$/,
    reason: 'shown this once, and stored nowhere',
  },
  {
    kinds: ['name', 'e-mail of an account', 'new e-mail', 'account that is none'],
    place: /^command (accounts|audit) /,
    reason: 'operators manage accounts by name and address',
  },
  {
    kinds: ['reason of a correction'],
    place: /^command (directory corrections,|audit) /,
    reason: 'operators read there who has hidden what in the directory, and why',
  },
  // These have to be stored.
  {
    kinds: ['reason of a correction'],
    place: /^(database (directory_corrections|audit_events)|file hygie\.sqlite(-wal)?|backup hygie\.sqlite)$/,
    reason: 'the list of corrections and the audit trail are there to keep it',
  },
  {
    kinds: ['name', 'e-mail of an account', 'new e-mail'],
    place: /^database accounts$/,
    reason: 'what applications are told of a person',
  },
  {
    kinds: ['new e-mail'],
    place: /^database action_tokens$/,
    reason: 'the address that a link was sent to: opened, it becomes that of the account',
  },
  {
    kinds: ['e-mail of an account'],
    place: /^database audit_events$/,
    reason: 'account.added names the address, account.email-changed the one before: operators look people up by it',
  },
  {
    kinds: ['nonce'],
    place: /^(database oidc_records|file hygie\.sqlite(-wal)?|backup (database.*|hygie\.sqlite))$/,
    reason: 'for the ID token of a code that is not redeemed yet; the code itself is a digest',
  },
  {
    kinds: ['passkey', 'passkey user handle'],
    place: /^database passkeys$/,
    reason: 'public identifiers (WebAuthn Level 3 section 4): without the device they open nothing',
  },
  {
    kinds: ['name', 'e-mail of an account', 'new e-mail', 'passkey', 'passkey user handle'],
    place: /^(file hygie\.sqlite(-wal)?|backup (database.*|hygie\.sqlite))$/,
    reason: 'the tables above, as bytes',
  },
];

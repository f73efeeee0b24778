// What the page needs to know of a person's sessions, as types: the OpenID provider has them.

/** A session in which the person is signed in, here or elsewhere. */
export interface SessionOfAccount {
  /** Public identifier. */
  uid: string;
  /** Families of browser and system, as `deviceOf` names them; undefined where they are not known. */
  device?: string;
  /** Second since the epoch. */
  signedInAt: number;
  /** The last use, to a minute; `orLater`: or after that. */
  used: { at: number; orLater: boolean };
  /** RFC 8176. */
  methods: readonly string[];
  /** Names of the applications that were opened in it. */
  applications: readonly string[];
}

export interface SessionsOfAccount {
  /** The last sign-in first. */
  list(accountId: string): Promise<SessionOfAccount[]>;
  /** Ends one of the account, with all that was given in it; undefined when it has no such session. */
  end(accountId: string, uid: string): Promise<SessionOfAccount | undefined>;
}

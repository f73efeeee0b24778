// The page with who a person is: name and address, records of the directory.

import type { ChangeKind } from '../../store/accounts/link-changes.ts';
import { personCard } from '../../web/components.ts';
import { type Html, html, linkTarget } from '../../web/html.ts';
import { type Messages, messagesIn } from '../../web/messages.ts';
import { type RecordLabel, recordLabel } from '../../web/workspace-list.ts';
import { type PageContext, pathOf } from '../page-context.ts';
import { part } from '../space-page.ts';

/** A record of the directory that an account is linked to. */
export interface Linked {
  id: string;
  label: RecordLabel;
  current: boolean;
  /** What an edition of the directory has made of the link, while applications are not told of it. */
  suspended: ChangeKind | undefined;
}

export interface LinkedRecords {
  practitioners: readonly Linked[];
  workspaces: readonly Linked[];
}

/** The content of the page. */
export function profileContent(context: PageContext, records: LinkedRecords): Html {
  const messages = messagesIn(context.language);
  return html`<p class="lead">${messages.account.introduction}</p>
${personCard(context.account, messages.consent.signedInAs, undefined)}
${part('directory', messages.account.directory, directory(context, records, messages))}`;
}

function directory(
  { site }: PageContext,
  { practitioners, workspaces }: LinkedRecords,
  { account, workspace }: Messages,
): Html {
  const several = workspaces.filter(({ suspended }) => !suspended).length > 1;
  const support = linkTarget(site.supportUrl);
  const groups = [
    [account.practitioners(practitioners.length), practitioners],
    [account.workspaces(workspaces.length), workspaces],
  ] as const;
  const linked = groups.filter(([, records]) => records.length > 0);
  return html`${
    linked.length === 0
      ? html`<p class="none">${account.unlinked}</p>`
      : html`<dl class="box records">${linked.map(
          ([term, records]) =>
            html`<div><dt>${term}</dt>${records.map((record) => html`<dd>${recordOf(record, account)}</dd>`)}</div>`,
        )}</dl>`
  }
${several && html`<p><a class="action" id="change-workspace" href="${pathOf(site, 'workspace')}">${workspace.change}</a></p>`}
${support && html`<p class="help">${account.mistake} <a href="${support}">${account.mistakeLink}</a></p>`}`;
}

function recordOf(
  { id, label, current, suspended }: Linked,
  { currentWorkspace, left, other }: Messages['account'],
): Html {
  return html`${recordLabel(id, label)} ${
    current && html`<span class="current">${currentWorkspace}</span>`
  }${suspended && html`<p class="warning">${suspended === 'other' ? other : left}</p>`}`;
}

// The list from which a person chooses a workspace, and the label of a directory record on a page.

import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import { fieldProblem } from './field.ts';

/** Facts by which people recognize a directory record. Each of them may be unknown. */
export interface RecordLabel {
  name?: string;
  /**
   * A number of the record, with its kind: `FINESS 690000013`, `SIRET ...`, `RPPS ...`. Of several, it is the one that people know best.
   */
  number?: string;
  /** Profession and specialities of a person. */
  work?: string;
  /** Postal code and town. */
  town?: string;
}

export type LabelInDirectory = (type: 'Practitioner' | 'Organization', id: string) => Promise<RecordLabel>;

interface LabelledWorkspace extends RecordLabel {
  id: string;
}

/** Name of the form field. The id of its problem begins with this name. */
export const WORKSPACE_FIELD = 'workspace';

/** Returns the labels of workspaces, sorted by name. */
export async function labelledWorkspaces(
  ids: readonly string[],
  label: LabelInDirectory,
): Promise<LabelledWorkspace[]> {
  const labelled = await Promise.all(ids.map(async (id) => ({ id, ...(await label('Organization', id)) })));
  const { compare } = new Intl.Collator('fr');
  return labelled.sort((one, other) => compare(one.name ?? one.id, other.name ?? other.id));
}

interface WorkspaceList {
  language: Language;
  workspaces: readonly LabelledWorkspace[];
  current: string | undefined;
  /** True if the person chose no workspace, or a workspace that is no longer available. */
  problem: boolean;
}

/**
 * Renders a group of radio buttons. The focus is on the current workspace, so that the Enter key continues with it. If there is a problem,
 * the focus is on the first button, because the text of the problem stands just above.
 */
export function workspaceList({ language, workspaces, current, problem }: WorkspaceList): Html {
  const { workspace } = messagesIn(language);
  const start = (problem ? undefined : current) ?? workspaces[0]?.id;
  return html`<fieldset class="workspaces"${problem && html` aria-describedby="workspace-problem"`}>
<legend>${workspace.legend}</legend>
${problem && fieldProblem('workspace-problem', { title: workspace.problem })}
${workspaces.map(
  ({ id, ...label }) =>
    html`<label><input type="radio" name="${WORKSPACE_FIELD}" value="${id}" required${id === current && html` checked`}${id === start && html` autofocus`}> <span>${recordLabel(id, label)}</span></label>
`,
)}</fieldset>`;
}

/**
 * Renders the label of a record: its name, and facts that distinguish it from other records with the same name. A record without a known
 * name is shown with its id.
 */
export function recordLabel(id: string, { name, work, number, town }: RecordLabel): Html {
  const more = [number, town].filter((part) => part !== undefined);
  return html`<span class="record-name">${name ?? id}</span>${work && html` <span class="record-work">${work}</span>`}${
    more.length > 0 && html` <span class="record-id">${more.join(' · ')}</span>`
  }`;
}

// Adds towns that begin with the typed text to the suggestions of the page.
offerTowns(document.getElementById('address'), document.getElementById('towns'));

function offerTowns(field, list) {
  let waiting;
  field.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(offer, 150);
  });

  async function offer() {
    const begin = field.value.trim();
    if (!/^\p{L}{2}/u.test(begin)) return;
    const answer = await fetch(`${list.dataset.more}?${new URLSearchParams({ begin })}`).catch(() => undefined);
    if (!answer?.ok) return;
    const known = new Set([...list.options].map(({ value }) => value));
    for (const town of await answer.json()) if (!known.has(town)) list.append(new Option('', town));
  }
}

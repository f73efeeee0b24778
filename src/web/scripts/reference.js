// Adds to the reference page: buttons that copy code, a filter for the criteria, and a mark at the chapter that the person reads.
const chapters = document.querySelector('.chapters');

for (const block of navigator.clipboard ? chapters.querySelectorAll('pre') : []) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'quiet small copy' });
  const say = (word) => {
    button.textContent = word;
    button.ariaLabel = `${word}, ${block.ariaLabel}`;
  };
  say(chapters.dataset.copy);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    say(chapters.dataset.copied);
    setTimeout(say, 2000, chapters.dataset.copy);
  });
  const around = document.createElement('div');
  around.className = 'with-copy';
  if (block.dataset.language) around.dataset.language = block.dataset.language;
  block.replaceWith(around);
  around.append(block, button);
}

const filter = document.getElementById('filter');
const fold = (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
filter.closest('p').hidden = false;
filter.addEventListener('input', () => {
  const wanted = fold(filter.value.trim());
  const rows = [...chapters.querySelectorAll('table.parameters tbody tr')];
  for (const row of rows) row.hidden = !fold(row.textContent).includes(wanted);
  chapters.classList.toggle('filtering', wanted !== '');
  for (const chapter of chapters.querySelectorAll('.chapter'))
    chapter.hidden = wanted !== '' && !chapter.querySelector('table.parameters tbody tr:not([hidden])');
  const status = document.getElementById('filtered');
  status.textContent = wanted && status.dataset.found.replace('{n}', rows.filter((row) => !row.hidden).length);
});

markCurrent();
function markCurrent() {
  const links = new Map([...document.querySelectorAll('.contents a')].map((link) => [link.hash.slice(1), link]));
  const inView = new Set();
  // One observer for all chapters, because reports of several observers come in any order: an old one could undo a newer one.
  const observer = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen)
        if (isIntersecting) inView.add(target.id);
        else inView.delete(target.id);
      // Where one chapter ends and another begins, the person is about to read the other one.
      const current = [...links.keys()].findLast((id) => inView.has(id));
      if (current) for (const [id, link] of links) link.ariaCurrent = id === current ? 'true' : null;
    },
    { rootMargin: '-20% 0px -75%' },
  );
  for (const chapter of chapters.querySelectorAll('.chapter')) observer.observe(chapter);
}

// Shows the strength of a new password while a person types. It depends on length, variety, sequences, repetitions, and the person's own
// names. Nothing leaves the page. The server has the list of common passwords and decides.
{
  const input = document.getElementById('new-password');
  const indicator = document.getElementById('strength');
  const text = indicator.querySelector('[role=status]');
  const { own, least, ...texts } = indicator.dataset;
  const fold = (words) =>
    words
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{M}+/gu, '');
  const words = fold(own)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= 3)
    .sort((one, other) => other.length - one.length);
  const ROWS = ['azertyuiop', 'qsdfghjklm', 'wxcvbn', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

  // Checks whether two characters are the same, or neighbours in the alphabet, the digits or a row of keys, in either direction.
  const follows = (one, other) =>
    Math.abs((one.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0)) <= 1 ||
    ROWS.some((row) => row.includes(one + other) || row.includes(other + one));
  const repeats = (typed) => {
    for (let period = 1; period <= typed.length / 2; period += 1) {
      if (typed.slice(period) === typed.slice(0, -period)) return period;
    }
    return typed.length;
  };

  const rate = (password) => {
    const typed = fold(password);
    const characters = [...typed];
    if ([...password].length < Number(least)) return { level: 1, kind: 'short' };
    const left = words.reduce((rest, word) => rest.replaceAll(word, ''), typed);
    if (left !== typed && left.replace(/[^a-z]/g, '').length < 4 && left.length < 8)
      return { level: 1, kind: 'personal' };
    const fresh = characters.filter((one, at) => at === 0 || !follows(characters[at - 1], one)).length;
    const length = Math.min(fresh, repeats(typed));
    const variety = new Set(characters).size;
    if (length < 7 || variety < 5) return { level: 1, kind: 'simple' };
    if (length < 11 || variety < 8) return { level: 2, kind: 'fair' };
    return length < 17 || variety < 10 ? { level: 3, kind: 'good' } : { level: 4, kind: 'strong' };
  };

  let pending;
  const show = () => {
    const { level, kind } = rate(input.value);
    indicator.hidden = input.value === '';
    indicator.dataset.level = String(level);
    // Screen readers get the text when the typing pauses, and not at each key.
    clearTimeout(pending);
    pending = setTimeout(() => {
      text.textContent = input.value === '' ? '' : texts[kind].replace('{n}', String([...input.value].length));
    }, 300);
  };
  input.addEventListener('input', show);
}

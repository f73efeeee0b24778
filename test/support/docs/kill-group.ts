// Ends a page's shell and all that it has started.

export function killGroup(group: number): void {
  // 0 would be this process's own.
  if (group === 0) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}

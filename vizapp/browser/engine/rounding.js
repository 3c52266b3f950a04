// A whole number, half to even: as Python and numpy round. `Math.round` takes the upper one.
export function even(value) {
  const low = Math.floor(value);
  const rest = value - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

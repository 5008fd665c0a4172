"""Checks that the table in proto/activations.md is what the server lists; --update writes it.

Usage: activations_page.py PATH_OF_ACTIVATION PATH_OF_PAGE [--update]
"""

import json
import subprocess
import sys

import running_server

UPDATE = "cmake --build --preset release --target update_activations"
BEGIN = f"<!-- Generated: {UPDATE} -->\n"
END = "<!-- End of the generated table -->\n"


def code(text):
    return f"`{text}`"


def table(activations):
    lines = ["| name (aliases) | f(x) | f'(x) | parameters |", "| --- | --- | --- | --- |"]
    for activation in activations:
        own = {a["alias"]: a["parameters"] for a in activation.get("aliasDefaults", [])}
        aliases = ", ".join(
            code(alias) + "".join(f" {name} {value:g}" for name, value in sorted(own.get(alias, {}).items()))
            for alias in activation.get("aliases", []))
        parameters = ", ".join(f"`{p['name']}` {p.get('defaultValue', 0):g}"
                               for p in activation.get("parameters", []))
        lines.append(" | ".join([
            f"| {code(activation['name'])}" + (f" ({aliases})" if aliases else ""),
            code(activation["formula"]), code(activation["derivative"]), parameters + " |"]))
    return "\n".join(lines) + "\n"


def main(client, page, *options):
    with running_server.serving() as server:
        listed = subprocess.run([client, "--target", server.address, "list", "--format", "json"],
                                check=True, capture_output=True, text=True)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    wanted = head + BEGIN + table(json.loads(listed.stdout)["activations"]) + END + tail
    if text == wanted:
        return 0
    if options == ("--update",):
        with open(page, "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    print(f"The table in {page} is not what the server lists; make it again:\n  {UPDATE}")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

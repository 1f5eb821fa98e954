"""Containers, Compose services and systemd units. Expected readings follow docker's, Compose's and systemd's references."""

from planner.core.check.docker import read_container
from planner.core.check.image import split_image, version_of_tag
from planner.core.check.words import read_script
from tests.planner.core.check.judging import H100, errors, fixes, judged, warnings

RUN = "docker run --rm -itp8000:8000 -v ~/c:/root/.cache -e HF_TOKEN -e A=1 --gpus all --shm-size=8g vllm/vllm-openai:v0.20.2 M --x"
SERVICE = """\
services:
  llm:
    image: vllm/vllm-openai:v0.20.2
    ipc: host
    ports: ["8000:8000"]
    command: {command}
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              count: 1
              capabilities: [{capability}]
"""
UNIT = """\
[Service]
Environment="VLLM_API_KEY=x" CUDA_VISIBLE_DEVICES=0,1
ExecStart=/opt/venv/bin/vllm serve Qwen/Qwen3-8B \\
  --tensor-parallel-size 2 --swap-space 4
Restart=always
"""


def test_options_image_and_arguments_are_told_apart() -> None:
    container = read_container(RUN, read_script(RUN).commands[0].words)
    assert container is not None
    assert [(option.name, option.value) for option in container.options] == [
        ("rm", ""),
        ("interactive", ""),
        ("tty", ""),
        ("publish", "8000:8000"),
        ("volume", "~/c:/root/.cache"),
        ("env", "HF_TOKEN"),
        ("env", "A=1"),
        ("gpus", "all"),
        ("shm-size", "8g"),
    ]
    assert container.image is not None
    assert (container.image.text, [word.text for word in container.arguments]) == (
        "vllm/vllm-openai:v0.20.2",
        ["M", "--x"],
    )
    assert (container.environment, container.published) == ({"HF_TOKEN": None, "A": "1"}, [("8000", "8000")])


def test_tags_say_versions_and_latest_does_not() -> None:
    tags = ("v0.9.2", "v0.5.19-cu129", "1.2.0rc6", "server-cuda-b4719", "latest", "server-cuda", "")
    assert [version_of_tag(tag) for tag in tags] == ["0.9.2", "0.5.19", "1.2.0rc6", "b4719", None, None, None]
    assert split_image("localhost:5000/vllm/vllm-openai") == ("localhost:5000/vllm/vllm-openai", "")
    assert split_image("a/b:v1@sha256:00") == ("a/b", "v1")


def test_image_behind_another_registry_is_the_same_image() -> None:
    found = judged(
        "docker run --gpus all --ipc=host reg.example/m/vllm/vllm-openai:v0.9.2 --model Qwen/Qwen3-8B"
    )
    assert (found["valid"], found["engine"]["version"]) == (True, "0.9.2")


def test_entry_point_of_the_asker_must_name_the_program() -> None:
    command = "docker run --gpus all --ipc=host --entrypoint {} vllm/vllm-openai:v0.20.2 {}"
    named = judged(command.format("bash", '-c "vllm serve Qwen/Qwen3-8B --max-modle-len 4096"'))
    assert errors(named) == [("flag_unknown", "--max-modle-len")]
    assert judged(command.format("vllm", "serve Qwen/Qwen3-8B"))["valid"] is True


def test_latest_is_judged_as_the_newest_with_a_warning() -> None:
    found = judged("docker run --gpus all --ipc=host vllm/vllm-openai:latest Qwen/Qwen3-8B")
    assert (found["valid"], warnings(found)) == (True, ["image_not_pinned"])


def test_unreachable_server_is_a_warning() -> None:
    command = "docker run --gpus all --ipc=host -p 30000:30000 lmsysorg/sglang:v0.5.23 sglang serve --model-path Qwen/Qwen3-8B"
    assert warnings(judged(command)) == ["address_inside_container_only"]
    assert warnings(judged(command + " --host 0.0.0.0")) == []
    other = judged(command + " --host 0.0.0.0 --port 8000")
    assert (warnings(other), fixes(other)) == (["published_port_not_served"], ["-p 30000:8000"])


def test_shared_memory_is_asked_for() -> None:
    found = judged("docker run --gpus all vllm/vllm-openai:v0.20.2 Qwen/Qwen3-8B -tp 2")
    assert (found["valid"], warnings(found)) == (True, ["shared_memory_missing"])


def test_podman_gets_devices_and_amd_needs_no_gpus() -> None:
    podman = judged("podman run --ipc=host vllm/vllm-openai:v0.20.2 Qwen/Qwen3-8B")
    assert (errors(podman), fixes(podman)) == (
        [("container_without_gpus", "--gpus")],
        ["--device nvidia.com/gpu=all"],
    )
    amd = (
        "docker run --device /dev/kfd --device /dev/dri --ipc=host rocm/vllm:latest vllm serve Qwen/Qwen3-8B"
    )
    assert judged(amd)["valid"] is True


def test_host_port_that_is_taken_is_moved() -> None:
    found = judged(
        "docker run --gpus all --ipc=host -p 8000:8000 vllm/vllm-openai:v0.20.2 Qwen/Qwen3-8B",
        ports_in_use=(8000, 8001),
    )
    assert (errors(found), fixes(found)) == ([("port_in_use", "-p")], ["-p 8002:8000"])
    assert " -p 8002:8000 " in found["mended_command"]


def test_unknown_option_of_docker_is_a_slip() -> None:
    found = judged("docker run --gpu all --ipc=host vllm/vllm-openai:v0.20.2 Qwen/Qwen3-8B")
    assert errors(found) == [("docker_option_unknown", "--gpu")]
    assert (
        found["mended_command"] == "docker run --gpus all --ipc=host vllm/vllm-openai:v0.20.2 Qwen/Qwen3-8B"
    )


def test_compose_service_is_read_and_mended_in_place() -> None:
    good = judged(SERVICE.format(command="Qwen/Qwen3-8B --max-model-len 8192", capability="gpu"))
    assert (good["valid"], good["engine"]["kind"], good["engine"]["version"]) == (True, "compose", "0.20.2")
    bad = judged(SERVICE.format(command='["Qwen/Qwen3-8B", "--max-modle-len", "8192"]', capability="gpu"))
    assert errors(bad) == [("flag_unknown", "--max-modle-len")]
    folded = judged(
        SERVICE.format(command=">\n      Qwen/Qwen3-8B\n      --max-modle-len 8192", capability="gpu")
    )
    assert folded["mended_command"] == SERVICE.format(
        command=">\n      Qwen/Qwen3-8B\n      --max-model-len 8192", capability="gpu"
    )


def test_compose_reservation_needs_capabilities() -> None:
    found = judged(SERVICE.format(command="Qwen/Qwen3-8B", capability="compute"))
    assert errors(found) == [("compose_capabilities_missing", "capabilities")]


def test_compose_without_reservation_has_no_gpu() -> None:
    found = judged(
        "services:\n  llm:\n    image: vllm/vllm-openai:v0.20.2\n    ipc: host\n    command: Qwen/Qwen3-8B\n"
    )
    assert errors(found) == [("container_without_gpus", "deploy.resources.reservations.devices")]


def test_broken_yaml_is_named_with_its_line() -> None:
    found = judged("image: vllm/vllm-openai\ncommand: [a\nports: :")
    assert [code for code, _flag in errors(found)] == ["yaml_unreadable"]


def test_systemd_unit_is_read_with_its_environment() -> None:
    found = judged(UNIT, version="0.18.0", accelerator=H100, count=8)
    assert (found["engine"]["kind"], errors(found)) == ("systemd", [("flag_removed", "--swap-space")])
    assert found["mended_command"] == UNIT.replace("--swap-space 4", "--kv-offloading-size 4")
